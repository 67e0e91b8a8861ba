import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import {
  dashboard,
  getFromEdge,
  killAtOnce,
  serveDashboard,
} from '../support/dashboard-program.ts';
import { largeDocument } from '../support/large-document.ts';

/** The line of the log after which the process is killed; the first is stored with the upload itself. */
const MOMENTS = [
  /^Received/,
  /^The build begins/,
  /^Read /,
  /^Checking/,
  /^Making/,
  /^Compressing/,
  /^Storing/,
];

const HOST = 'petstore.docs.localhost';

test('a kill at any step of a deploy leaves the live site serving, and the deploy ends after a restart', async (t) => {
  const folder = await temporaryFolder(t);
  let running = await serveDashboard(t, folder);
  const email = 'owner@example.com';
  await dashboard(
    folder,
    ['users', 'create', '--email', email, '--password-stdin'],
    {},
    'correct horse battery',
  );
  const made = await dashboard(folder, [
    'tokens',
    'create',
    '--email',
    email,
    '--name',
    't',
    '--json',
  ]);
  const headers = { authorization: `Bearer ${JSON.parse(made.stdout).token}` };
  const call = (method: string, path: string, body?: string) =>
    fetch(`${running.url}/api/projects${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body && { body }),
    });
  const deployed = async (id: string): Promise<Deploy> => {
    const deadline = Date.now() + 30_000;
    for (;;) {
      const deploy = (await (await call('GET', `/petstore/deploys/${id}`)).json()) as Deploy;
      if (deploy.state === 'succeeded' || deploy.state === 'failed') return deploy;
      assert.ok(Date.now() < deadline, `stuck: ${JSON.stringify(deploy)}`);
      await sleep(50);
    }
  };
  const titleOfSite = async () => {
    const { status, text } = await getFromEdge(running.edgePort, HOST, '/openapi.json');
    assert.equal(status, 200);
    return JSON.parse(text).info.title as string;
  };

  await call('POST', '', JSON.stringify({ name: 'Petstore', slug: 'petstore' }));
  const first = (await (
    await call('POST', '/petstore/deploys', largeDocument('before', 3))
  ).json()) as Deploy;
  assert.equal((await deployed(first.id)).state, 'succeeded');

  let live = 'before';
  for (const moment of MOMENTS) {
    const title = `killed after ${moment.source}`;
    const answer = await call('POST', '/petstore/deploys', largeDocument(title, 150));
    assert.equal(answer.status, 202);
    const { id } = (await answer.json()) as Deploy;
    await lineOf(`${folder}/data/dashboard.db`, id, moment);
    await killAtOnce(running);

    running = await serveDashboard(t, folder);
    assert.equal(await titleOfSite(), live, 'what was live is served, whole, from the start');
    const deploy = await deployed(id);
    assert.equal(deploy.state, 'succeeded', JSON.stringify(deploy.errors));
    assert.ok(deploy.live);
    assert.equal(await titleOfSite(), title);
    live = title;
  }
});

/** Waits until a deploy's log has a line so many times; looks into the database, since the service may be gone soon. */
async function lineOf(path: string, deployId: string, wanted: RegExp, times = 1): Promise<void> {
  const database = new DatabaseSync(path, { readOnly: true });
  const query = database.prepare('SELECT message FROM deploy_log WHERE deploy_id = ?');
  try {
    const deadline = Date.now() + 30_000;
    const count = () =>
      query.all(deployId).filter(({ message }) => wanted.test(String(message))).length;
    while (count() < times) {
      assert.ok(Date.now() < deadline, `no line ${wanted}`);
      await sleep(1);
    }
  } finally {
    database.close();
  }
}

test('a deploy whose builds end the process each time is marked failed, and others are built', async (t) => {
  const folder = await temporaryFolder(t);
  let running = await serveDashboard(t, folder);
  const email = 'owner@example.com';
  await dashboard(
    folder,
    ['users', 'create', '--email', email, '--password-stdin'],
    {},
    'correct horse battery',
  );
  const made = await dashboard(folder, [
    'tokens',
    'create',
    '--email',
    email,
    '--name',
    't',
    '--json',
  ]);
  const headers = {
    authorization: `Bearer ${JSON.parse(made.stdout).token}`,
    'content-type': 'application/json',
  };
  const projects = () => `${running.url}/api/projects`;
  await fetch(projects(), { method: 'POST', headers, body: '{"name":"P","slug":"petstore"}' });
  const post = async (body: string) =>
    (await (
      await fetch(`${projects()}/petstore/deploys`, { method: 'POST', headers, body })
    ).json()) as Deploy;
  const { id } = await post(largeDocument('deadly', 300));
  for (let attempt = 1; attempt <= 3; attempt++) {
    // A first build begins, and those after it begin anew.
    await lineOf(`${folder}/data/dashboard.db`, id, /^The build begins|begins anew/, attempt);
    await killAtOnce(running);
    running = await serveDashboard(t, folder);
  }
  const next = await post(largeDocument('harmless', 2));
  const deadline = Date.now() + 30_000;
  const read = async (of: string) =>
    (await (await fetch(`${projects()}/petstore/deploys/${of}`, { headers })).json()) as Deploy;
  while ((await read(next.id)).state !== 'succeeded') {
    assert.ok(Date.now() < deadline, 'the next deploy is stuck');
    await sleep(50);
  }
  const deadly = await read(id);
  assert.equal(deadly.state, 'failed');
  assert.match(deadly.errors[0]?.message ?? '', /3 times/);
});
