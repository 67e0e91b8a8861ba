import type { Log } from '@petstore/service/log.ts';
import type { FastifyInstance } from 'fastify';
import { platformCertificates } from '../certificates/platform-names.ts';
import type { Deps } from '../deps.ts';
import type { CanonicalHost } from '../edge/host.ts';
import type { OwnHost } from '../edge/own-hosts/own-host.ts';
import { setUpRecords } from '../zone/set-up-records.ts';
import { plainResponses } from './plain-responses.ts';

interface OwnHosts {
  readonly hosts: readonly OwnHost[];
  close(): void;
}

/** What `dashboard serve --domain` serves at its names: the dashboard itself, and the API. */
export async function ownHosts(
  deps: Deps,
  { app, log }: { readonly app: FastifyInstance; readonly log: Log },
): Promise<OwnHosts> {
  const { config } = deps;
  const { domain } = config;
  if (!domain) return { hosts: [], close: () => {} };
  const [wildcard, api] = platformCertificates(config);
  if (!wildcard) throw new Error('the domain has no certificate');
  const records = setUpRecords(config);
  const originOf = (name: string) => deps.addresses().domain(name);
  // Requests reach its hooks without a listening socket.
  await app.ready();
  const dashboard: OwnHost = {
    host: domain.name as CanonicalHost,
    server: app.server,
    plain: plainResponses(deps, {
      ...{ origin: originOf(domain.name), certificate: wildcard, records, kind: 'dashboard' },
    }),
  };
  if (!domain.petstore || !api) return { hosts: [dashboard], close: () => {} };
  // Loaded where it is wanted.
  const { petstoreProxy } = await import('./petstore-proxy.ts');
  const host = domain.petstore.name as CanonicalHost;
  const proxy = petstoreProxy({ host, target: domain.petstore.url, log });
  const petstore: OwnHost = {
    ...{ host, server: proxy.server },
    plain: plainResponses(deps, { origin: originOf(host), certificate: api, records, kind: 'API' }),
  };
  return { hosts: [dashboard, petstore], close: proxy.close };
}
