import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type NameServer, startNameServer } from '@petstore/lab/name-server/name-server.ts';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { Config } from '../../../server/src/config.ts';
import { readAcme } from '../../../server/src/config-acme.ts';
import type { Domain, DomainEvent } from '../../../server/src/domains/domain.ts';
import type { Page } from '../../../server/src/schema-types.ts';
import type { Db } from '../../../server/src/store/schema.ts';
import { createProject, deploy, documentTitled, setPlan } from '../../support/project.ts';
import { json, type Service, startService, type Visitor } from '../../support/service.ts';

export interface DomainService extends Service {
  readonly dns: NameServer;
  readonly root: Visitor;
}

/** A name server of `example.test` and of the platform's host, where every name is at 127.0.0.1. */
export async function startDns(t: Ending): Promise<NameServer> {
  const dns = await startNameServer({
    zones: {
      'example.test': [],
      'other.test': [],
      'docs.localhost': [{ name: '*.docs.localhost', type: 'A', value: '127.0.0.1' }],
    },
  });
  cleanUp(t, dns.close);
  return dns;
}

/** A certificate authority that is away. */
export const AWAY = readAcme({
  ACME_DIRECTORY_URL: 'https://127.0.0.1:9/directory',
  ACME_CHALLENGES: 'http-01',
});

/** The dashboard with a DNS of its own, and a certificate authority that is away. */
export async function startDomainService(
  t: TestContext,
  overrides: Partial<Config> = {},
  options: { now?: () => number } = {},
): Promise<DomainService> {
  const dns = await startDns(t);
  const settings = {
    dnsServers: [dns.server],
    dnsPrivateServers: 'allow',
    acme: AWAY,
    ...overrides,
  } as const;
  const service = await startService(t, settings, options);
  const root = await service.signUp('root@example.com');
  return { ...service, dns, root };
}

/** A project on the plan Pro with a deploy. */
export async function readyProject(root: Visitor, slug: string): Promise<void> {
  await createProject(root, slug);
  await setPlan(root, slug, 'pro');
  await deploy(root, slug, documentTitled(slug));
}

export async function addDomain(owner: Visitor, slug: string, hostname: string): Promise<Domain> {
  return json(await owner.call('POST', `/api/projects/${slug}/domains`, { hostname }), 201);
}

export async function getDomain(owner: Visitor, slug: string, hostname: string): Promise<Domain> {
  return json(await owner.call('GET', `/api/projects/${slug}/domains/${hostname}`));
}

/** Checks a domain, again where a name server was late: those of a test are in its process, which may stand still. */
export async function verify(
  owner: Visitor,
  slug: string,
  hostname: string,
  tries = 5,
): Promise<Domain> {
  const domain = await verifyOnce(owner, slug, hostname);
  const isLate = domain.verdict?.reason === 'timeout';
  return isLate && tries > 1 ? verify(owner, slug, hostname, tries - 1) : domain;
}

/** One check, for a test that counts them, or whose name server does not respond. */
export async function verifyOnce(owner: Visitor, slug: string, hostname: string): Promise<Domain> {
  return json(await owner.call('POST', `/api/projects/${slug}/domains/${hostname}/verify`));
}

/** Waits until none of the checks that the dashboard begins by itself is under way. */
export async function checksEnded(db: Db): Promise<void> {
  const underWay = db
    .selectFrom('domain_checks')
    .select('leased_by')
    .where('leased_by', 'is not', null);
  await timeUntil(async () => (await underWay.execute()).length === 0);
}

/** The kinds of a domain's events, oldest first. */
export async function eventsOf(owner: Visitor, slug: string, hostname: string): Promise<string[]> {
  const path = `/api/projects/${slug}/domains/${hostname}/events?limit=100`;
  const { items } = await json<Page<DomainEvent>>(await owner.call('GET', path));
  return items.map(({ kind }) => kind).reverse();
}

/** Creates the records that a domain asks for. */
export function createRecords(dns: NameServer, { records, hostname }: Domain): void {
  const zone = dns.zone(hostname.split('.').slice(-2).join('.'));
  for (const { type, name, value } of records) {
    assert.ok(type !== 'CAA');
    zone.setRecords(name, type, [value]);
  }
}

/** A domain that is verified. */
export async function verifiedDomain(
  { dns }: { dns: NameServer },
  owner: Visitor,
  slug: string,
  hostname: string,
): Promise<Domain> {
  createRecords(dns, await addDomain(owner, slug, hostname));
  const domain = await verify(owner, slug, hostname);
  assert.equal(domain.verdict?.code, 'verified', domain.verdict?.message);
  return domain;
}
