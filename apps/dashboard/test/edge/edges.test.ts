import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, onSharedEngines } from '@petstore/test-support/engines.ts';
import { assertWithin, timeUntil } from '@petstore/test-support/within.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import { getFromEdge, startEdgeProgram } from '../support/dashboard-program.ts';
import { titledDocument } from '../support/large-document.ts';
import { json, type Service, startService, type Visitor } from '../support/service.ts';
import { UP_TO_DATE } from '../support/store.ts';

const HOST = 'pets.docs.localhost';

/** How soon every edge serves a change, in milliseconds. */
const WITHIN_MS = 1_000;

async function titleAt(port: number): Promise<string | number> {
  const { status, text } = await getFromEdge(port, HOST, '/openapi.json');
  return status === 200 ? (JSON.parse(text).info.title as string) : status;
}

async function deploy(owner: Visitor, title: string, query = ''): Promise<Deploy> {
  const path = '/api/projects/pets/deploys';
  const { id } = await json<Deploy>(
    await owner.call('POST', path + query, titledDocument(title, 2)),
    202,
  );
  for (;;) {
    const current = await json<Deploy>(await owner.call('GET', `${path}/${id}`));
    if (current.state === 'succeeded') return current;
    assert.notEqual(current.state, 'failed', JSON.stringify(current.errors));
    await sleep(20);
  }
}

async function started(
  t: TestContext,
  engine: Engine,
): Promise<{ service: Service; edges: number[] }> {
  const databaseUrl = await engine.createDatabase(t, UP_TO_DATE);
  const service = await startService(t, { databaseUrl });
  const programs = await Promise.all([1, 2].map(() => startEdgeProgram(t, databaseUrl)));
  return { service, edges: programs.map(({ port }) => port) };
}

onSharedEngines(
  'every edge serves a version, its default and its end within a second',
  async (t, engine) => {
    const { service, edges } = await started(t, engine);
    const owner = await service.signUp('owner@example.com');
    const project = '/api/projects/pets';
    await json(await owner.call('POST', '/api/projects', { name: 'Pets', slug: 'pets' }), 201);
    const ask = async (port: number) => {
      const [root, old] = await Promise.all([
        getFromEdge(port, HOST, '/x'),
        getFromEdge(port, HOST, '/v1'),
      ]);
      return JSON.stringify([root.status, root.location, old.status, old.location]);
    };
    const isSeen = (...wanted: unknown[]) =>
      assertWithin(WITHIN_MS, () =>
        timeUntil(async () => {
          const answers = await Promise.all([service.edgePort, ...edges].map(ask));
          return answers.every((answer) => answer === JSON.stringify(wanted));
        }),
      );
    await Promise.all(edges.map(ask));
    await deploy(owner, 'One', '?version=v1');
    await isSeen(302, '/v1/x', 200, undefined);
    await deploy(owner, 'Two', '?version=v2');
    await json(await owner.call('PATCH', `${project}/versions/v2`, { default: true }));
    await isSeen(302, '/v2/x', 200, undefined);
    await owner.call('DELETE', `${project}/versions/v1`);
    await isSeen(302, '/v2/x', 301, '/v2');
  },
);

onSharedEngines(
  'every edge serves a change within a second, and the one that made it at once',
  async (t, engine) => {
    const { service, edges } = await started(t, engine);
    const owner = await service.signUp('owner@example.com');

    /** All edges asked before, so that none has nothing to forget. How long it takes until all serve the change. */
    const changesTo = async (wanted: string | number, change: () => Promise<unknown>) => {
      await Promise.all([service.edgePort, ...edges].map(titleAt));
      await change();
      assert.equal(await titleAt(service.edgePort), wanted, 'at once where it was made');
      return timeUntil(async () => {
        const titles = await Promise.all(edges.map(titleAt));
        return titles.every((title) => title === wanted);
      });
    };

    await assertWithin(WITHIN_MS, async () => {
      await json(await owner.call('POST', '/api/projects', { name: 'Pets', slug: 'pets' }), 201);
      let first: Deploy | undefined;
      const took = [
        await changesTo('first', async () => {
          first = await deploy(owner, 'first');
        }),
        await changesTo('second', () => deploy(owner, 'second')),
        await changesTo('first', () =>
          owner.call('POST', `/api/projects/pets/deploys/${first?.id}/activate`),
        ),
      ];
      const label = `pets--${first?.id}.docs.localhost`;
      assert.equal((await getFromEdge(edges[0] ?? 0, label)).status, 200, 'a preview');
      took.push(
        await changesTo(404, () => owner.call('DELETE', '/api/projects/pets', { confirm: 'pets' })),
      );
      assert.equal((await getFromEdge(edges[0] ?? 0, label)).status, 404);
      return Math.max(...took);
    });
  },
);

onSharedEngines('two dashboards on one database build each deploy once', async (t, engine) => {
  const databaseUrl = await engine.createDatabase(t, UP_TO_DATE);
  // Where this process stands still, which is both of them, no lease ends.
  let at = Date.now();
  const one = await startService(t, { databaseUrl }, { now: () => at });
  await startService(t, { databaseUrl }, { now: () => at });
  const owner = await one.signUp('owner@example.com');
  await json(await owner.call('POST', '/api/projects', { name: 'Pets', slug: 'pets' }), 201);
  const titles = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const title of titles) {
    await json(
      await owner.call('POST', '/api/projects/pets/deploys', titledDocument(title, 2)),
      202,
    );
    // They are built in this order.
    at += 1;
  }
  const last = await deploy(owner, 'last');
  const { items } = await json<{ items: Deploy[] }>(
    await owner.call('GET', '/api/projects/pets/deploys'),
  );
  while (
    !(await json<Deploy>(await owner.call('GET', `/api/projects/pets/deploys/${last.id}`))).live
  )
    await sleep(20);
  assert.equal(await titleAt(one.edgePort), 'last', 'the newest is live, whoever was quicker');
  for (const { id } of items) {
    const log = await json<{ items: { message: string }[] }>(
      await owner.call('GET', `/api/projects/pets/deploys/${id}/log`),
    );
    assert.equal(log.items.filter(({ message }) => message === 'The build begins.').length, 1);
  }
});
