import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { anyPort } from '@petstore/lab/ports.ts';
import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { childrenOf } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { readConfig } from '../../server/src/config.ts';
import type { DomainRow } from '../../server/src/store/domains.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import type { Db } from '../../server/src/store/schema.ts';
import { getFromEdge, serveDashboard, startEdgeProgram } from '../support/dashboard-program.ts';
import { titledDocument } from '../support/large-document.ts';
import { ask, readMetrics } from '../support/operator-port.ts';
import { createProject, deploy, finished } from '../support/project.ts';
import { json, startService } from '../support/service.ts';
import { putProject, UP_TO_DATE } from '../support/store.ts';

const OPERATOR = { host: '127.0.0.1', port: 0, token: undefined };
const DAY_MS = 24 * 3_600_000;

/** Adds a verified domain with a certificate. */
async function putCertificate(
  db: Db,
  project_id: string,
  { id, not_after, ...domain }: Pick<DomainRow, 'id'> & Partial<DomainRow> & { not_after: number },
): Promise<void> {
  const hostname = `${id}.secret.example`;
  await db
    .insertInto('domains')
    .values({
      ...{ id, project_id, hostname, link_secret: id, target_label: id, proof: 'p', holds: 1 },
      ...{ created_at: 0, verified_at: 0, created_by_email: '', hsts_include_subdomains: 0 },
      ...domain,
    })
    .execute();
  await db
    .insertInto('certificates')
    .values({
      ...{ domain_id: id, hostname, chain: '', sealed_key: 'v1.0.0', issuer: '', serial: '' },
      ...{ not_before: 0, not_after, issued_at: 0, renew_at: not_after + 300 * DAY_MS },
      ...{ ari_id: null, ari_check_at: null, directory_url: null },
    })
    .execute();
}

onSharedEngines(
  'metrics tell of builds, checks, certificates, queues and requests, and name no project and no host',
  async (t, engine) => {
    const databaseUrl = await engine.createDatabase(t, UP_TO_DATE);
    const service = await startService(t, { databaseUrl, operator: OPERATOR });
    const port = service.operatorPort as number;
    const owner = await service.signUp('owner@example.com');
    await createProject(owner, 'secretive');
    const { id } = await service.db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
    assert.ok((await deploy(owner, 'secretive', titledDocument('one', 2))).live);
    const path = '/api/projects/secretive/deploys';
    const sent = await owner.call('POST', path, '{"openapi":"3.1.0"}');
    await finished(owner, 'secretive', (await json<{ id: string }>(sent, 202)).id);
    const site = 'secretive.docs.localhost';
    const page = await getFromEdge(service.edgePort, site, '/');
    for (const path of ['/', '/', '/openapi.json', '/llms.txt', '/nowhere', '/mcp']) {
      await getFromEdge(service.edgePort, site, path);
    }
    const [, style = ''] = /href="(\/[^"]+\.css)"/.exec(page.text) ?? [];
    assert.equal((await getFromEdge(service.edgePort, site, style)).status, 200);
    await refusedHandshake(service.httpsPort);
    const now = Date.now();
    for (const [at, days] of [-1, 0.5, 5, 200].entries())
      await putCertificate(service.db, id, { id: `d${at}`, not_after: now + days * DAY_MS });
    const notice = { project_id: id, webhook_id: null, email: 'x@secret.example', payload: '{}' };
    await service.db
      .insertInto('notices')
      .values({
        ...{ ...notice, id: 'n', type: 'domain.verified', created_at: 0, attempts: 1 },
        ...{ next_attempt_at: now - 60_000, delivered_at: null, last_error: null },
        leased_until: null,
      })
      .execute();

    // A build is counted after its deploy has ended.
    const builds = 'dashboard_build_duration_seconds_count';
    await timeUntil(async () => (await readMetrics(port)).sum(builds, { outcome: 'failed' }) === 1);
    const shown = await readMetrics(port);
    const daysLeft = (days_left: string) => shown.sum('dashboard_certificates', { days_left });
    assert.deepEqual(['expired', '1', '7', '90', 'more'].map(daysLeft), [1, 1, 1, 0, 1]);
    // No mail server is configured, so it waits.
    assert.equal(shown.sum('dashboard_notices_waiting', { kind: 'email' }), 1);
    assert.equal(shown.sum('dashboard_queue_length', { queue: 'emails' }), 1);
    assert.ok(shown.sum('dashboard_queue_oldest_seconds', { queue: 'emails' }) >= 60);

    const requests = (labels: Record<string, string>) =>
      shown.sum('dashboard_edge_requests_total', { protocol: 'http', ...labels });
    assert.equal(requests({ kind: 'page', status: '2xx' }), 3);
    assert.equal(requests({ kind: 'data', status: '2xx' }), 1);
    assert.equal(requests({ kind: 'text', status: '2xx' }), 1);
    assert.equal(requests({ kind: 'asset', status: '2xx' }), 1);
    assert.equal(requests({ kind: 'page', status: '4xx' }), 1, 'the page of a missing path');
    assert.equal(requests({ kind: 'mcp' }), 1);
    const durations = 'dashboard_edge_request_duration_seconds_count';
    assert.equal(shown.sum(durations), shown.sum('dashboard_edge_requests_total'));
    const handshakes = (outcome: string) =>
      shown.sum('dashboard_edge_tls_handshakes_total', { outcome });
    assert.deepEqual([handshakes('no_certificate'), handshakes('done')], [1, 0]);
    assert.equal(shown.sum(builds, { outcome: 'succeeded' }), 1);
    assert.ok(shown.sum('dashboard_database_statement_seconds_count') > 20);
    assert.ok(shown.names.has('nodejs_eventloop_lag_seconds'));
    assert.ok(shown.sum('process_resident_memory_bytes') > 0);
    assert.doesNotMatch(shown.text, /secret|owner@/);
  },
);

onSharedEngines('certificates that are left to end are not counted', async (t, engine) => {
  const databaseUrl = await engine.createDatabase(t, UP_TO_DATE);
  const now = Date.now();
  const before = await openDatabase(databaseUrl, 1);
  // One is the installation's, and the other was, before it had another name.
  for (const hostname of ['*.docs.localhost', '*.docs.former.example'])
    await before.db
      .insertInto('platform_certificates')
      .values({ hostname, failures: 0, next_attempt_at: now + DAY_MS, not_after: now + 5 * DAY_MS })
      .execute();
  await before.close();
  const dnsZone = { name: 'zone.test', hosts: ['127.0.0.1'], port: 0, addresses: ['127.0.0.1'] };
  const service = await startService(t, { databaseUrl, operator: OPERATOR, dnsZone });
  const { db } = service;
  await putProject(db, 'pets');
  const put = (id: string, domain: Partial<DomainRow>) =>
    putCertificate(db, 'pets', { ...domain, id, not_after: now - DAY_MS });
  await put('serving', {});
  await put('prepared', { moved_away_at: now, prepare: 1 });
  const check = { domain_id: 'prepared', challenge_here: 1, points_here: 0 };
  await db
    .insertInto('domain_checks')
    .values({ ...check, began_at: 0, attempts: 0 })
    .execute();
  await put('removed', { removed_at: now });
  await put('moved-away', { moved_away_at: now });
  await put('awaiting', { awaits_move: 1, prepare: 1 });
  await put('lost', { holds: 0 });
  await put('unverified', { verified_at: null });
  const shown = await readMetrics(service.operatorPort as number);
  const daysLeft = (days_left: string) => shown.sum('dashboard_certificates', { days_left });
  assert.deepEqual(['expired', '7'].map(daysLeft), [2, 1]);
  assert.equal(shown.sum('dashboard_certificates'), 3);
});

/** A client that asks for a name without a certificate; resolves when it was refused. */
function refusedHandshake(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, servername: 'nobody.example' });
    socket.on('error', () => resolve());
  });
}

test('the port is off by default, on loopback where it is on, and keeps metrics behind a token', async (t) => {
  const none = await startService(t);
  assert.equal(none.operatorPort, undefined);
  const { operator } = readConfig({ DASHBOARD_METRICS_PORT: '0' });
  assert.deepEqual(operator, OPERATOR);
  const service = await startService(t, { operator: { ...OPERATOR, token: 'of the scraper' } });
  const port = service.operatorPort as number;
  const refused = await ask(port, '/metrics');
  assert.equal(refused.status, 401);
  assert.match(refused.text, /Authorization: Bearer <DASHBOARD_METRICS_TOKEN>/);
  await readMetrics(port, { authorization: 'Bearer of the scraper' });
  for (const path of ['/livez', '/readyz', '/readyz/edge']) {
    const { status, text } = await ask(port, path);
    assert.deepEqual([status, JSON.parse(text).status], [200, 'ok'], path);
  }
  assert.equal((await ask(port, '/else')).status, 404);
  const posted = await fetch(`http://127.0.0.1:${port}/livez`, { method: 'POST' });
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
});

test('a service that was told to stop is not ready first, and serves on for as long as is set', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { DASHBOARD_METRICS_PORT: '0', DASHBOARD_SHUTDOWN_DELAY_MS: '600000' };
  const program = await serveDashboard(t, folder, env);
  const { operatorPort } = JSON.parse(program.output.stdout);
  assert.equal((await ask(operatorPort, '/readyz')).status, 200);
  program.child.kill('SIGTERM');
  await timeUntil(async () => (await ask(operatorPort, '/readyz')).status === 503);
  assert.match((await ask(operatorPort, '/readyz')).text, /"The process is stopping\."/);
  assert.equal((await ask(operatorPort, '/livez')).status, 200);
  assert.equal((await fetch(`${program.url}/readyz`)).status, 503, 'for balancers, too');
  assert.equal((await fetch(`${program.url}/`)).status, 200, 'it serves on');
  program.child.kill('SIGKILL');
});

onSharedEngines(
  'the workers of an edge are added up, those that died included',
  async (t, engine) => {
    const databaseUrl = await engine.createDatabase(t, UP_TO_DATE);
    const service = await startService(t, { databaseUrl });
    const owner = await service.signUp('owner@example.com');
    await json(await owner.call('POST', '/api/projects', { name: 'Pets', slug: 'pets' }), 201);
    assert.ok((await deploy(owner, 'pets', titledDocument('one', 2))).live);
    // The line of an edge for people names no other.
    const operatorPort = await anyPort([]);
    const edge = await startEdgeProgram(t, databaseUrl, ['--workers', '2'], {
      DASHBOARD_METRICS_PORT: `${operatorPort}`,
    });
    assert.match(edge.output.stdout, new RegExp(`readiness are on port ${operatorPort}`));
    const agent = new Agent({ keepAlive: false });
    const get = () => getFromEdge(edge.port, 'pets.docs.localhost', '/openapi.json', agent);
    // A connection for each request, so that chance picks the worker.
    for (let request = 0; request < 30; request++) assert.equal((await get()).status, 200);
    const count = async () =>
      (await readMetrics(operatorPort)).sum('dashboard_edge_requests_total', { kind: 'data' });
    await timeUntil(async () => (await count()) === 30);
    const [killed] = (await childrenOf(edge.child.pid as number)) as [number];
    process.kill(killed, 'SIGKILL');
    const deaths = async () =>
      (await readMetrics(operatorPort)).sum('dashboard_edge_worker_deaths_total');
    await timeUntil(async () => (await deaths()) === 1);
    await timeUntil(async () => (await childrenOf(edge.child.pid as number)).length === 2);
    await timeUntil(async () => (await ask(operatorPort, '/readyz')).status === 200);
    assert.equal(await count(), 30, 'what the dead one had counted stays');
    assert.equal(await deaths(), 1);
  },
);
