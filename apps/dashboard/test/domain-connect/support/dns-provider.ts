import { verify } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NameServer } from '@petstore/lab/name-server/name-server.ts';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';

/** A template as its file has it. */
export interface PublishedTemplate {
  readonly providerId: string;
  readonly serviceId: string;
  readonly syncPubKeyDomain: string;
  readonly hostRequired?: boolean;
  readonly records: readonly {
    readonly type: string;
    readonly groupId: string;
    readonly host?: string;
    readonly pointsTo?: string;
    readonly data?: string;
  }[];
}

/** A provider of DNS that speaks Domain Connect (draft-ietf-dconn-domainconnect), synchronous flow. */
export interface DnsProvider {
  /** The value of `_domainconnect`. */
  readonly prefix: string;
  readonly asked: string[];
  /** The templates that it has taken. */
  templates: PublishedTemplate[];
  /** Changes what it says of itself. */
  settings: (settings: Record<string, unknown>) => unknown;
  /** Answers in place of it; false: it answers itself. */
  intercept: (path: string, response: ServerResponse) => boolean;
}

export interface DnsProviderOptions {
  /** Where its zones are. */
  readonly dns: NameServer;
  /** The name server of the service's zone, with the key. */
  readonly keyServer: string;
}

export async function startDnsProvider(
  t: Ending,
  { dns, keyServer }: DnsProviderOptions,
): Promise<DnsProvider> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://provider.test');
    asked.push(url.pathname);
    if (provider.intercept(url.pathname, response)) return;
    answer(url, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: DnsProvider = {
    prefix: `${base}/connect`,
    asked,
    templates: [],
    settings: (settings) => settings,
    intercept: () => false,
  };

  async function answer({ pathname, search }: URL, response: ServerResponse): Promise<void> {
    if (/^\/connect\/v2\/example\.test\/settings$/.test(pathname)) {
      const settings = provider.settings({
        providerId: 'virtucon.test',
        providerName: 'Virtucon Domains',
        providerDisplayName: 'Virtucon',
        urlSyncUX: `${base}/ux`,
        urlAPI: `${base}/api/`,
      });
      response.end(JSON.stringify(settings));
      return;
    }
    const [, prefix, providerId, serviceId, apply] =
      /^\/(api|ux)\/v2\/domainTemplates\/providers\/([^/]+)\/services\/([^/]+?)(\/apply)?$/.exec(
        pathname,
      ) ?? [];
    const template = provider.templates.find(
      (one) => one.providerId === providerId && one.serviceId === serviceId,
    );
    if (!template) response.writeHead(404).end();
    else if (prefix === 'api') response.end('{"version":1}');
    else if (apply) await askOwner(template, search.slice(1), response);
  }

  /** What the owner of the DNS sees; whoever comes has agreed. */
  async function askOwner(template: PublishedTemplate, query: string, response: ServerResponse) {
    const parameters = new URLSearchParams(query);
    const back = new URL(parameters.get('redirect_uri') ?? '');
    const end = (error?: string) => {
      if (parameters.has('state')) back.searchParams.set('state', parameters.get('state') ?? '');
      if (error !== undefined) back.searchParams.set('error', error);
      response.writeHead(302, { location: back.href }).end();
    };
    // A request that nobody signed leads nowhere: its redirect_uri would be anyone's.
    if (!(await isSigned(template, query))) response.writeHead(400).end('not signed');
    else if (parameters.get('domain') !== 'example.test') end('access_denied');
    else {
      apply(template, parameters);
      end();
    }
  }

  async function isSigned({ syncPubKeyDomain }: PublishedTemplate, query: string) {
    const signature = new URLSearchParams(query).get('sig') ?? '';
    const label = new URLSearchParams(query).get('key') ?? '';
    const signed = query.replace(/&(sig|key)=[^&]*/g, '');
    const resolver = new Resolver();
    resolver.setServers([keyServer]);
    const texts = await resolver.resolveTxt(`${label}.${syncPubKeyDomain}`);
    const parts = texts
      .map((strings) => /^p=(\d+),a=RS256,d=(.*)$/.exec(strings.join('')))
      .toSorted((one, other) => Number(one?.[1]) - Number(other?.[1]))
      .map((part) => part?.[2]);
    const key = `-----BEGIN PUBLIC KEY-----\n${parts.join('')}\n-----END PUBLIC KEY-----`;
    return verify('sha256', Buffer.from(signed), key, Buffer.from(signature, 'base64'));
  }

  function apply({ records, hostRequired }: PublishedTemplate, parameters: URLSearchParams) {
    const host = parameters.get('host') ?? '';
    if (hostRequired && host === '') throw new Error('a host is required');
    const domain = parameters.get('domain') ?? '';
    const fqdn = host === '' ? domain : `${host}.${domain}`;
    const fill = (text: string) =>
      text.replace(/%(\w+)%/g, (_, name) => {
        const value = parameters.get(name);
        if (value === null) throw new Error(`no ${name}`);
        return value;
      });
    const groups = (parameters.get('groupId') ?? '').split(',');
    for (const record of records.filter(({ groupId }) => groups.includes(groupId))) {
      const { type, host: at = '@', pointsTo, data } = record;
      const name = at === '@' ? fqdn : `${at}.${fqdn}`;
      const kind = type === 'APEXCNAME' ? 'ALIAS' : (type as 'CNAME' | 'TXT');
      dns.zone(domain).setRecords(name, kind, [fill(pointsTo ?? data ?? '')]);
    }
  }

  return provider;
}
