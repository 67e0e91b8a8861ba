import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { type Logger, pino } from 'pino';
import { startPlatformIssuer } from '../../../server/src/certificates/platform-certificate.ts';
import { platformCertificates } from '../../../server/src/certificates/platform-names.ts';
import type { Sealer } from '../../../server/src/certificates/sealing.ts';
import { type Config, readConfig } from '../../../server/src/config.ts';
import type { AcmeConfig } from '../../../server/src/config-acme.ts';
import type { CanonicalHost } from '../../../server/src/edge/host.ts';
import type { Db } from '../../../server/src/store/schema.ts';
import { siteSource } from '../../../server/src/store/sites.ts';
import type { ChallengeZone } from '../../../server/src/zone/challenge-zone.ts';

/** The API's name, whose certificate HTTP-01 proves, as the DNS of these tests leads no challenge into the zone. */
export const API = 'api.example.test';

/** The configuration of an installation with a domain that has no wildcard certificate to obtain. */
export function platformConfig(acme: AcmeConfig): Config {
  const domain = { DASHBOARD_DOMAIN: 'docs.example.test', DASHBOARD_PETSTORE: API };
  const config = readConfig({ ...domain, DNS_ADDRESSES: '127.0.0.1' });
  return { ...config, acme, dnsZone: undefined };
}

const LEADS_HERE: ChallengeZone = {
  isDelegated: async () => false,
  leadsHere: async () => true,
  awaitShown: async () => {},
};

interface PlatformOptions {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly acme: AcmeConfig;
  readonly now?: () => number;
  readonly log?: Logger;
}

/** The issuer of the API's certificate. */
export function startPlatform({
  db,
  sealer,
  acme,
  now = Date.now,
  log = pino({ level: 'silent' }),
}: PlatformOptions) {
  const config = platformConfig(acme);
  const deps = { db, log, sealer, now, config, siteChanged: () => {}, zone: LEADS_HERE };
  const issuer = startPlatformIssuer(deps);
  if (!issuer) throw new Error('there is nothing to obtain');
  return issuer;
}

/** Answers HTTP-01 as an edge does; its port. */
export async function startPlatformHost(t: Ending, db: Db, sealer: Sealer): Promise<number> {
  const certificates = platformCertificates(platformConfig({} as AcmeConfig));
  const source = siteSource({
    ...{ db, sealer, certificates, platformHost: 'docs.example.test', now: Date.now },
    addresses: () => {
      throw new Error('no site is asked for');
    },
  });
  const server = createServer(async ({ headers, url = '' }, response) => {
    const host = (headers.host ?? '').split(':')[0] as CanonicalHost;
    const found = await source.findHttpChallenge(host, url.split('/').at(-1) ?? '');
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => server.close());
  return (server.address() as AddressInfo).port;
}
