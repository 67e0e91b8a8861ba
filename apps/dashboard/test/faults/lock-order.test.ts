import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCertificateAuthority } from '@petstore/lab/certificate-authority/certificate-authority.ts';
import type { NameServer } from '@petstore/lab/name-server/name-server.ts';
import { findPorts } from '@petstore/lab/ports.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { PATIENCE_MS } from '@petstore/test-support/within.ts';
import { readConfig } from '../../server/src/config.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import type { Db } from '../../server/src/store/schema.ts';
import { acmeConfig } from '../certificates/support/lab.ts';
import { startDns } from '../domains/support/domains.ts';
import { deploy, documentTitled } from '../support/project.ts';
import { signIn, startService, type Visitor } from '../support/service.ts';
import { UP_TO_DATE } from '../support/store.ts';

/** How long it all goes on: a minute in .ci/run, which finds more of what seldom meets. */
const SECONDS = Number(process.env.DASHBOARD_LOCKS_SECONDS ?? 12);

/** Pairs of projects that contend for a name at the same time. */
const PAIRS = 4;

/** How long a pair does, in milliseconds, before both projects are deleted. */
const ROUND_MS = 1_500;

/** In which names are prepared, and wildcards proven. */
const DNS_ZONE = {
  ...{ name: 'acme.docs.localhost', hosts: ['127.0.0.1'], port: 0, addresses: ['127.0.0.1'] },
};

/** How much longer it may take until a certificate was collected, in milliseconds. */
const LATEST_MS = 40_000;

test(`whatever happens to projects and their domains at once, for ${SECONDS} s in two processes, no locks cross and nothing fails [PostgreSQL]`, async (t) => {
  const databaseUrl = await (await sharedServer()).copyDatabase(UP_TO_DATE);
  const dns = await startDns(t);
  const { http: httpPort, https: tlsPort } = await findPorts(true);
  const authority = await startCertificateAuthority({
    httpPort,
    tlsPort,
    nameServer: dns.server,
    timeoutMs: PATIENCE_MS,
    // A name is held for a fraction of a second.
    isPrompt: true,
  });
  cleanUp(t, authority.close);
  const settings = {
    databaseUrl,
    secretKey: randomBytes(32),
    dnsServers: [dns.server],
    dnsPrivateServers: 'allow',
    dnsZone: DNS_ZONE,
    acme: acmeConfig(authority, { challenges: ['http-01'] }),
  } as const;
  const { edge } = readConfig({ EDGE_HTTP_PORT: `${httpPort}`, EDGE_HTTPS_PORT: `${tlsPort}` });
  const first = await startService(t, { ...settings, edge });
  const second = await startService(t, settings);
  const root = await first.signUp('root@example.com');
  const visitors = [root, await signIn(second)];
  const failures: string[] = [];
  const counts: Record<string, number> = {};
  const ask: Ask = async (method, path, body) => {
    const visitor = visitors[Math.floor(Math.random() * visitors.length)] as Visitor;
    const response = await visitor.call(method, path, body);
    const text = await response.text();
    if (response.status >= 500) failures.push(`${method} ${path}: ${response.status} ${text}`);
    const done = `${method} ${path.replace(/\bp\d+r[^/]*|docs\.[^/]*/g, '*').replace(/[^/]*\/activate/, '*/activate')} ${response.status}`;
    counts[done] = (counts[done] ?? 0) + 1;
    return response.status < 300 && text !== '' ? JSON.parse(text) : undefined;
  };

  await ask('POST', '/api/projects', { name: 'Built', slug: 'built' });
  await deploy(root, 'built');
  const deadline = Date.now() + SECONDS * 1_000;
  // What is played has to have happened, however slow the machine is.
  const isOver = () =>
    Date.now() > deadline && (authority.issued > 0 || Date.now() > deadline + LATEST_MS);
  const contend = async (pair: number) => {
    for (let round = 0; !isOver(); round++) {
      await playRound({ ask, dns, db: first.db }, `p${pair}r${round}`);
    }
  };
  const sql = connectTo(databaseUrl);
  // Nobody may ask so often; here it is what is tried.
  const forgetting = setInterval(() => sql`DELETE FROM sign_in_failures`.catch(() => {}), 500);
  await Promise.all(Array.from({ length: PAIRS }, (_, pair) => contend(pair)));
  clearInterval(forgetting);
  t.diagnostic(`${authority.issued} certificates; ${JSON.stringify(counts)}`);

  // A process tells the database's statistics of its deadlocks when it ends, at the latest.
  await first.close();
  await second.close();
  const [{ deadlocks } = { deadlocks: undefined }] =
    await sql`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`;
  await sql.end();
  const logged = [...first.logged, ...second.logged].filter(isFailure);
  assert.deepEqual([failures, logged], [[], []]);
  assert.equal(deadlocks, 0n);
  assert.ok(authority.issued > 0, 'certificates were collected meanwhile');
});

interface Play {
  readonly ask: Ask;
  readonly dns: NameServer;
  readonly db: Db;
}

type Ask = <T>(method: string, path: string, body?: unknown) => Promise<T | undefined>;

/** Two projects take one name from each other again and again, and do all else besides, until both are deleted. */
async function playRound(play: Play, name: string): Promise<void> {
  const { ask, dns } = play;
  const zone = dns.addZone(`${name}.test`);
  const hostname = `docs.${name}.test`;
  const slugs = [`${name}-a`, `${name}-b`];
  for (const slug of slugs) await makeProject(play, slug);

  const end = Date.now() + ROUND_MS;
  const repeat = async (work: () => Promise<unknown>) => {
    while (Date.now() < end) await work();
  };
  const take = async (slug: string) => {
    const path = `/api/projects/${slug}/domains`;
    const known = await ask<Domain>('GET', `${path}/${hostname}`);
    const domain = known ?? (await ask<Domain>('POST', path, { hostname }));
    createRecords(zone, domain);
    await ask('POST', `${path}/${hostname}/verify`);
  };
  if (Math.random() < 0.3)
    await ask('POST', `/api/projects/${name}-a/deploys`, documentTitled(name));
  const others = slugs.flatMap((slug) => worksOn(play, `/api/projects/${slug}`, hostname, zone));
  await Promise.all([
    ...others.map(repeat),
    repeat(async () => {
      for (const slug of slugs) await take(slug);
    }),
  ]);
  // In the middle of what is still under way.
  await Promise.all([
    ...slugs.map((slug) => take(slug)),
    ...others.map((work) => work()),
    ...slugs.map((slug) => ask('DELETE', `/api/projects/${slug}`, { confirm: slug })),
  ]);
}

/** A project on the plan Pro with two deploys of what was built before. */
async function makeProject({ ask, db }: Play, slug: string): Promise<void> {
  await ask('POST', '/api/projects', { name: slug, slug });
  await ask('PUT', `/api/projects/${slug}/plan`, { plan: 'pro' });
  const built = await db
    .selectFrom('deploys')
    .selectAll()
    .where('artifact_hash', 'is not', null)
    .limit(1)
    .executeTakeFirstOrThrow();
  const project = db.selectFrom('projects').select('id').where('slug', '=', slug);
  const { id: project_id } = await project.executeTakeFirstOrThrow();
  const deploys = [1, 2].map((number) => ({
    ...built,
    id: `${slug}-${number}`,
    number,
    project_id,
  }));
  await db.insertInto('deploys').values(deploys).execute();
  const live = { live_deploy_id: `${slug}-1`, last_deploy_number: 2 };
  await db.updateTable('projects').set(live).where('id', '=', project_id).execute();
}

/** What people do to a project and its domain; each on its own does it as often as it can. */
function worksOn(
  { ask }: Play,
  project: string,
  hostname: string,
  zone: Zone,
): (() => Promise<unknown>)[] {
  const domain = `${project}/domains/${hostname}`;
  const hsts = { maxAgeSeconds: 300, includeSubdomains: false };
  return [
    () => ask('PATCH', domain, { hsts }),
    () => ask('POST', `${domain}/primary`),
    ...namesWorks(ask, `${project}/domains`, hostname, zone),
    async () => {
      await sleep(150 + Math.random() * 200);
      await ask('DELETE', domain);
    },
    async () => {
      await ask('PUT', `${project}/plan`, { plan: 'enterprise' });
      await ask('PUT', `${project}/plan`, { plan: 'pro' });
    },
    async () => {
      const list = await ask<{ items: Deploy[] }>('GET', `${project}/deploys`);
      for (const { id } of list?.items ?? []) {
        await ask('POST', `${project}/deploys/${id}/activate`);
      }
    },
    async () => {
      await ask('PATCH', project, { redirectPlatformHost: true });
      await ask('PATCH', project, { redirectPlatformHost: false });
    },
  ];
}

type Zone = ReturnType<NameServer['zone']>;

function createRecords(zone: Zone, domain: Domain | undefined): void {
  for (const { type, name, value } of domain?.records ?? []) {
    if (type !== 'CAA') zone.setRecords(name, type, [value]);
  }
}

/** A wildcard and a pair beside the name; and what the name itself is asked to be. */
function namesWorks(
  ask: Ask,
  domains: string,
  hostname: string,
  zone: Zone,
): (() => Promise<unknown>)[] {
  const domain = `${domains}/${hostname}`;
  const apex = hostname.slice(hostname.indexOf('.') + 1);
  return [
    async () => {
      await ask('PATCH', domain, { prepare: true });
      await ask('PATCH', domain, { prepare: false });
    },
    async () => {
      await ask('PATCH', domain, { redirectTo: '/elsewhere', version: null });
      await ask('PATCH', domain, { redirectTo: null });
    },
    async () => {
      createRecords(zone, await ask<Domain>('POST', domains, { hostname: `*.${hostname}` }));
      await ask('POST', `${domains}/*.${hostname}/verify`);
      await ask('DELETE', `${domains}/*.${hostname}`);
    },
    async () => {
      createRecords(zone, await ask<Domain>('POST', domains, { hostname: apex, pair: true }));
      await ask('POST', `${domains}/${apex}/verify`);
      await Promise.all([apex, `www.${apex}`].map((name) => ask('DELETE', `${domains}/${name}`)));
    },
  ];
}

/** But for lines of builds whose project was deleted meanwhile. */
function isFailure(line: string): boolean {
  const { level, msg } = JSON.parse(line) as { level: number; msg: string };
  return level >= 50 && msg !== "a line of a deploy's log is lost";
}
