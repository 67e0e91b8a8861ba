import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer } from 'node:http';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { childrenOf } from '@petstore/test-support/program.ts';
import { steadyLoad } from '@petstore/test-support/steady-load.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import { dashboard, getFromEdge, startEdgeProgram } from '../support/dashboard-program.ts';
import { titledDocument } from '../support/large-document.ts';
import { json, startService } from '../support/service.ts';
import { UP_TO_DATE } from '../support/store.ts';

const HOST = 'pets.docs.localhost';

onSharedEngines(
  'an edge of several workers serves while they die and are replaced, and every one serves a change',
  async (t, engine) => {
    const databaseUrl = await engine.createDatabase(t, UP_TO_DATE);
    const service = await startService(t, { databaseUrl });
    const owner = await service.signUp('owner@example.com');
    await json(await owner.call('POST', '/api/projects', { name: 'Pets', slug: 'pets' }), 201);
    const deploy = async (title: string) => {
      const path = '/api/projects/pets/deploys';
      const { id } = await json<Deploy>(
        await owner.call('POST', path, titledDocument(title, 2)),
        202,
      );
      await timeUntil(
        async () => (await json<Deploy>(await owner.call('GET', `${path}/${id}`))).live,
      );
    };
    await deploy('first');

    const edge = await startEdgeProgram(t, databaseUrl, ['--workers', '2']);
    const pid = edge.child.pid as number;
    // A connection for each request, so that chance picks the worker.
    const agent = new Agent({ keepAlive: false });
    const get = () => getFromEdge(edge.port, HOST, '/openapi.json', agent);
    const title = async () => JSON.parse((await get()).text).info.title;
    assert.equal(await title(), 'first');

    const [killed] = (await childrenOf(pid)) as [number];
    process.kill(killed, 'SIGKILL');
    // What it had accepted goes with it.
    await timeUntil(async () => !(await childrenOf(pid)).includes(killed));
    const responses = await Promise.all(Array.from({ length: 40 }, get));
    assert.ok(responses.every(({ status }) => status === 200));
    await timeUntil(async () => (await childrenOf(pid)).length === 2);

    const load = steadyLoad(get, 200);
    const former = await childrenOf(pid);
    edge.child.kill('SIGHUP');
    await timeUntil(async () => {
      const now = await childrenOf(pid);
      return now.length === 2 && !now.some((worker) => former.includes(worker));
    });
    assert.ok((await load.end()) > 0);

    await deploy('second');
    await timeUntil(async () => {
      const titles = await Promise.all(Array.from({ length: 20 }, title));
      return titles.every((found) => found === 'second');
    });
  },
);

test('an edge says what is wrong with a number of workers, and which port is taken', async (t) => {
  const folder = await temporaryFolder(t);
  const wrong = await dashboard(folder, ['edge', '--workers', 'two']);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /--workers.*It must be a number from 1 to 256, or auto\./s);

  const taken = createServer().listen(0, '127.0.0.1');
  cleanUp(t, () => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const outcome = await dashboard(folder, ['edge', '--workers', '2'], {
    EDGE_HTTP_PORT: '0',
    EDGE_HTTPS_PORT: String(port),
  });
  assert.equal(outcome.code, 1);
  assert.match(outcome.stderr, new RegExp(`Port ${port} .* is in use.*EDGE_HTTPS_PORT`, 's'));
});
