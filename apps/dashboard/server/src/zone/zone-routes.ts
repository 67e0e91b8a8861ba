import { ApiError } from '@petstore/http/errors.ts';
import { jsonResponse, operationsOf, type Routes } from '../http/routes.ts';
import { observeDelegation } from './check-delegation.ts';
import { delegationRecords, judgeDelegation, recordStatus } from './delegation.ts';
import { readOwnZone } from './own-zone.ts';
import { presentWildcard } from './present-wildcard.ts';
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
      if (!dnsZone) return { name: null, serial: null, records: [], wildcard: null };
      const { records } = await readOwnZone(dnsZone, config, deps);
      const soa = records.find(({ type }) => type === 'SOA');
      const serial = soa?.type === 'SOA' ? soa.data.serial : null;
      return {
        ...{ name: dnsZone.name, serial, records: delegationRecords(dnsZone) },
        wildcard: await presentWildcard(dnsZone, config, deps.db),
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
      const facts = await observeDelegation(dnsZone, config);
      const records = delegationRecords(dnsZone).map((record) => ({
        ...{ type: record.type, name: record.name, value: record.value },
        status: recordStatus(record, facts),
      }));
      return { ...judgeDelegation(dnsZone, facts), records, addresses: [...facts.reached] };
    },
  );
};
