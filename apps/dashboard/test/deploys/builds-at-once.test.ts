import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { coverNoPrograms } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertWithin, timeUntil } from '@petstore/test-support/within.ts';
import { sql } from 'kysely';
import { explainBuildError } from '../../server/src/deploys/builder.ts';
import type { Deploy, LogLine } from '../../server/src/deploys/deploy.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { killAtOnce, OWNER, ownerToken, serveDashboard } from '../support/dashboard-program.ts';
import { endIdleBuilders, holdBuilds } from '../support/held-builds.ts';
import { largeDocument } from '../support/large-document.ts';
import { createProject, deploy, documentTitled, joinAs } from '../support/project.ts';
import { json, startService, type Visitor } from '../support/service.ts';

coverNoPrograms();

onBothEngines("another account's slow builds do not keep a small deploy waiting", async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const slow = await service.signUp('slow@example.com');
  const other = await service.signUp('other@example.com');
  await createProject(slow, 'large');
  await createProject(other, 'small');
  const path = '/api/projects/large/deploys';
  const send = async (document: string) =>
    json<Deploy>(await slow.call('POST', path, document), 202);
  // It lasts until the test ends; by itself it would take seconds.
  await endIdleBuilders();
  const building = await send(JSON.stringify(largeDocument(3_000)));
  await holdBuilds(t, 1);
  const queued = [building, await send(documentTitled('Two')), await send(documentTitled('Three'))];
  const states = () =>
    Promise.all(
      queued.map(
        async ({ id }) => (await json<Deploy>(await slow.call('GET', `${path}/${id}`))).state,
      ),
    );
  const waitOfSmall = async () => {
    const { state, createdAt, startedAt } = await deploy(other, 'small', documentTitled('Small'));
    assert.equal(state, 'succeeded');
    return Date.parse(startedAt ?? '') - Date.parse(createdAt);
  };
  await assertWithin(1_000, waitOfSmall);
  assert.deepEqual(
    await states(),
    ['building', 'queued', 'queued'],
    'one at a time of one account',
  );
});

test('the time of builds counts against an account that deleted their project', async (t) => {
  let ahead = 0;
  const service = await startService(t, { signUp: 'open' }, { now: () => Date.now() + ahead });
  const names = ['quick', 'slow', 'first', 'second'] as const;
  const accounts: Visitor[] = [];
  for (const name of names) {
    accounts.push(await service.signUp(`${name}@example.com`));
    await createProject(accounts.at(-1) as Visitor, name);
  }
  const [quick, slow, ...others] = accounts as [Visitor, Visitor, Visitor, Visitor];
  // First: what it took is written down by the time that the clock is put forward.
  await deploy(quick, 'quick', documentTitled('Small'));
  const { id } = await deploy(slow, 'slow', JSON.stringify(largeDocument(100)));
  await timeUntil(async () => {
    // A busy machine may have kept the other one waiting.
    const { numUpdatedRows } = await service.db
      .updateTable('builds')
      .set(({ eb }) => ({ ended_at: eb('ended_at', '+', 60_000) }))
      .where('deploy_id', '=', id)
      .where('ended_at', 'is not', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  });
  assert.equal((await slow.call('DELETE', '/api/projects/slow', { confirm: 'slow' })).status, 204);
  await createProject(slow, 'slow');
  // Only what lasted counts: neither build has grown since.
  ahead = 5 * 60_000;

  const send = async (account: Visitor, name: string, document: string) =>
    json<Deploy>(await account.call('POST', `/api/projects/${name}/deploys`, document), 202);
  const find = async (account: Visitor, name: string, { id }: Deploy) =>
    json<Deploy>(await account.call('GET', `/api/projects/${name}/deploys/${id}`));
  // Both places are taken while the two wait.
  await endIdleBuilders();
  for (const [at, account] of others.entries()) {
    const name = names[at + 2] as string;
    await send(account, name, documentTitled(name));
  }
  const [release] = await holdBuilds(t, 2);
  const ofSlow = await send(slow, 'slow', documentTitled('Of the slow one'));
  const ofQuick = await send(quick, 'quick', documentTitled('Of the quick one'));
  assert.equal((await find(slow, 'slow', ofSlow)).state, 'queued', 'both places are taken');
  // One place is free, for one after the other.
  release?.();
  await timeUntil(async () => (await find(slow, 'slow', ofSlow)).startedAt !== null);
  const [first, second] = [await find(quick, 'quick', ofQuick), await find(slow, 'slow', ofSlow)];
  assert.ok(first.startedAt !== null && second.startedAt !== null);
  assert.ok(first.startedAt < second.startedAt, 'the quick one is first');
});

/** A service with a project, in a process of its own, and what deploys to it. */
async function serveProject(
  t: Parameters<typeof serveDashboard>[0] & Parameters<typeof temporaryFolder>[0],
) {
  const folder = await temporaryFolder(t);
  const running = await serveDashboard(t, folder);
  const token = await ownerToken(folder);
  const call = async <T = Deploy>(method: string, path: string, body?: string): Promise<T> => {
    const response = await fetch(`${running.url}/api/projects${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body }),
    });
    assert.ok(response.ok, await response.clone().text());
    return (await response.json()) as T;
  };
  await call('POST', '', '{"name":"Pets","slug":"pets"}');
  const signIn = async (): Promise<number> => {
    const body = JSON.stringify(OWNER);
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${running.url}/api/session`, { method: 'POST', headers, body })).status;
  };
  const logOf = async (id: string): Promise<string[]> => {
    const { items } = await call<Page<LogLine>>('GET', `/pets/deploys/${id}/log`);
    return items.map(({ message }) => message);
  };
  return { running, call, signIn, logOf };
}

// At once: most of the time goes into waits of the services.
describe('a service in a process of its own', { concurrency: true }, () => {
  test('a build ends with a service that is killed, in the middle of what it does', async (t) => {
    const killInBuild = async (tries = 5): Promise<number> => {
      const { running, call, logOf } = await serveProject(t);
      const { id } = await call('POST', '/pets/deploys', JSON.stringify(largeDocument(3_000)));
      // It makes them for seconds, and has nothing to say meanwhile.
      while (!(await logOf(id)).includes('Making the pages')) await sleep(20);
      const builds = childrenOf(running.child.pid ?? 0);
      const { state } = await call('GET', `/pets/deploys/${id}`);
      // This process may have stood still until it was done.
      if (state !== 'building' && tries > 1) return killInBuild(tries - 1);
      assert.equal(builds.length, 1, 'it is at work');
      await killAtOnce(running);
      return timeUntil(async () => !builds.some(isRunning));
    };
    await assertWithin(1_000, () => killInBuild());
  });

  test('a build that is killed is begun anew, and the service goes on', async (t) => {
    const { running, call, logOf } = await serveProject(t);
    const killed = explainBuildError(new Error('The process ended.'));
    const toldOf = async (title: string) => {
      const { id } = await call('POST', '/pets/deploys', JSON.stringify(largeDocument(50, title)));
      while (!(await logOf(id)).includes('The build begins.')) await sleep(5);
      for (const pid of await firstChildrenOf(running.child.pid ?? 0)) process.kill(pid, 'SIGKILL');
      await timeUntil(async () => {
        const { state, errors } = await call('GET', `/pets/deploys/${id}`);
        assert.notEqual(state, 'failed', JSON.stringify(errors));
        return state === 'succeeded';
      });
      return logOf(id);
    };
    let isTold = false;
    // A build may be done when it is killed, where this process stood still.
    for (let tries = 1; tries <= 5 && !isTold; tries++) {
      isTold = (await toldOf(`Large ${tries}`)).includes(killed);
    }
    assert.ok(isTold, 'who waits is told that it is not the document');
  });

  test('the service stays small from its start on, through sign-ins and ten deploys', async (t) => {
    const { running, call, signIn } = await serveProject(t);
    const signIns = await Promise.all(Array.from({ length: 8 }, signIn));
    assert.deepEqual([...new Set(signIns)], [200]);
    for (let at = 1; at <= 10; at++) {
      const { id } = await call(
        'POST',
        '/pets/deploys',
        JSON.stringify(largeDocument(100, `Large ${at}`)),
      );
      while ((await call('GET', `/pets/deploys/${id}`)).state !== 'succeeded') await sleep(50);
    }
    const deadline = Date.now() + 60_000;
    while (residentMegabytes(running.child.pid) > 150) {
      assert.ok(
        Date.now() < deadline,
        `it has ${residentMegabytes(running.child.pid)} MB a minute after`,
      );
      await sleep(100);
    }
  });
});

async function firstChildrenOf(pid: number): Promise<number[]> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const children = childrenOf(pid);
    if (children.length > 0) return children;
    assert.ok(Date.now() < deadline, 'nothing is built in a process of its own');
    await sleep(5);
  }
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function residentMegabytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

test('a deploy that has ended is not called one that is tried again', async (t) => {
  const renewals: (() => void)[] = [];
  const start = globalThis.setInterval;
  t.mock.method(globalThis, 'setInterval', (work: () => void, ms: number) => {
    if (ms === 2_000) renewals.push(work);
    return start(work, ms);
  });
  const service = await startService(t);
  const { updateTable } = service.db;
  t.mock.method(service.db, 'updateTable', (table: 'builds') => {
    // By now there is no lease to be renewed.
    if (table === 'builds') for (const renew of renewals) renew();
    return updateTable.call(service.db, table);
  });
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  // The end of the build is recorded after the end of the deploy.
  await sql`CREATE TRIGGER full BEFORE UPDATE OF ended_at ON builds
    BEGIN SELECT RAISE(ABORT, 'no space'); END`.execute(service.db);
  const { id, state } = await deploy(root, 'pets', documentTitled('One'));
  assert.equal(state, 'succeeded');
  await timeUntil(async () =>
    service.logged.some((line) => line.includes('a deploy could not be built')),
  );
  await sql`DROP TRIGGER full`.execute(service.db);
  // Somebody else's build takes longer than to write a line.
  const other = await joinAs(service, root, 'pets', 'other@example.com', 'editor');
  assert.equal((await deploy(other, 'pets', documentTitled('Two'))).state, 'succeeded');
  const lines = await service.db
    .selectFrom('deploy_log')
    .select('message')
    .where('deploy_id', '=', id)
    .execute();
  assert.ok(!lines.some(({ message }) => message.startsWith('The build failed')));
});

test('a full disk is called that, whoever found it full', () => {
  const room = /no room on its disk/;
  for (const error of [
    Object.assign(new Error('write'), { code: 'ENOSPC' }),
    new Error('A build failed: Error: ENOSPC: no space left on device, write'),
    new Error('database or disk is full'),
    Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' }),
  ])
    assert.match(explainBuildError(error), room);
  assert.doesNotMatch(explainBuildError(new Error('The process of a build ended.')), room);
});
