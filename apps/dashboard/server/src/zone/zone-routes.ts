import { ApiError } from '@petstore/http/errors.ts';
import type { DnsRecord } from '../domains/verdict.ts';
import { jsonResponse, operationsOf, type Routes } from '../http/routes.ts';
import { observeAddresses, observeDelegation } from './check-delegation.ts';
import { addressStatus, delegationRecords, judgeDelegation, recordStatus } from './delegation.ts';
import { readOwnZone } from './own-zone.ts';
import { presentCertificates } from './present-wildcard.ts';
import { addressRecords } from './set-up-records.ts';
import { InstallationZone, ZoneCheck } from './zone.ts';

const operation = operationsOf('Installation');

/** The zone that the installation answers for itself, and whether it is delegated to it. */
export const zoneRoutes: Routes = async (app, { deps }) => {
  const { config } = deps;

  app.get(
    '/zone',
    operation('installation', 'getZone', 'The zone of the installation', {
      response: jsonResponse(200, InstallationZone),
    }),
    async () => {
      const { dnsZone } = config;
      if (!dnsZone)
        return {
          ...{ name: null, serial: null, records: [], addresses: [], wildcard: null },
          petstore: null,
        };
      const { records } = await readOwnZone(dnsZone, config, deps);
      const soa = records.find(({ type }) => type === 'SOA');
      const serial = soa?.type === 'SOA' ? soa.data.serial : null;
      return {
        ...{ name: dnsZone.name, serial, records: delegationRecords(dnsZone) },
        addresses: addressRecords(config),
        ...(await presentCertificates(config, deps.db)),
      };
    },
  );

  app.get(
    '/zone/check',
    operation('installation', 'checkZone', 'Look from outside whether the zone is delegated', {
      response: jsonResponse(200, ZoneCheck),
    }),
    async () => {
      const { dnsZone } = config;
      if (!dnsZone)
        throw new ApiError('not_found', 'This dashboard answers for no zone: set DNS_ZONE.');
      const wanted = addressRecords(config);
      const [facts, found] = await Promise.all([
        observeDelegation(dnsZone, config),
        observeAddresses(dnsZone, wanted, config),
      ]);
      const shown = ({ type, name, value }: DnsRecord) => ({ type, name, value });
      const records = [
        ...wanted.map((one) => ({ ...shown(one), status: addressStatus(one, wanted, found) })),
        ...delegationRecords(dnsZone).map((one) => ({
          ...{ ...shown(one), status: recordStatus(one, facts) },
        })),
      ];
      return { ...judgeDelegation(dnsZone, facts), records, addresses: [...facts.reached] };
    },
  );
};
