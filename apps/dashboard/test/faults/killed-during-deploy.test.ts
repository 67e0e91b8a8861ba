import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyPort } from '@petstore/lab/ports.ts';
import { coverNoPrograms, finished } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import {
  dashboard,
  getFromEdge,
  killAtOnce,
  ownerToken,
  serveDashboard,
} from '../support/dashboard-program.ts';
import { titledDocument } from '../support/large-document.ts';

coverNoPrograms();

/** The line of the log after which the process is killed; the first is stored with the upload itself. */
const MOMENTS = [
  /^Received/,
  /^The build begins/,
  /^Read /,
  /^Checking/,
  /^Making/,
  /^Made /,
  /^Storing/,
];

/** Of a document whose build takes a second: each kill comes in its midst. */
const OPERATIONS = 30;

/** Of one whose build is still under way when a busy machine comes to look at it. */
const MANY_OPERATIONS = 10 * OPERATIONS;

const HOST = 'petstore.docs.localhost';

// In two halves: a slow machine needs a minute for one.
for (const [half, moments] of [
  ['its beginning', MOMENTS.slice(0, 4)],
  ['its end', MOMENTS.slice(4)],
] as const)
  test(`a kill at any step of a deploy leaves the live site serving, and the deploy ends after a restart (${half})`, async (t) => {
    const folder = await temporaryFolder(t);
    let running = await serveDashboard(t, folder);
    const { post, read } = await signedInProject(folder, () => running.url);
    const deployed = async (id: string): Promise<Deploy> => {
      const deadline = Date.now() + 120_000;
      for (;;) {
        const deploy = await read(id);
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

    const first = await post(titledDocument('before', 2));
    assert.equal((await deployed(first.id)).state, 'succeeded');

    let live = 'before';
    for (const moment of moments) {
      const title = `killed after ${moment.source}`;
      const { id } = await post(titledDocument(title, OPERATIONS));
      await lineOf(`${folder}/data/dashboard.db`, id, moment);
      await killAtOnce(running);

      running = await serveDashboard(t, folder);
      const shown = await titleOfSite();
      // The kill may have come when all was done.
      if (shown !== live) assert.equal((await read(id)).state, 'succeeded', 'no other is served');
      const deploy = await deployed(id);
      assert.equal(deploy.state, 'succeeded', JSON.stringify(deploy.errors));
      assert.ok(deploy.live);
      assert.equal(await titleOfSite(), title);
      live = title;
    }
  });

/** An account and the project `petstore`, and what deploys to it and asks for a deploy. */
async function signedInProject(folder: string, url: () => string) {
  const token = await ownerToken(folder);
  const call = async (method: string, path: string, body?: string) => {
    const response = await fetch(`${url()}/api/projects${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body }),
    });
    assert.ok(response.ok, await response.clone().text());
    return (await response.json()) as Deploy;
  };
  await call('POST', '', '{"name":"Petstore","slug":"petstore"}');
  return {
    token,
    post: (document: string) => call('POST', '/petstore/deploys', document),
    read: (id: string) => call('GET', `/petstore/deploys/${id}`),
  };
}

/** Waits until a deploy's log has a line so many times; looks into the database, since the service may be gone soon. */
async function lineOf(path: string, deployId: string, wanted: RegExp, times = 1): Promise<void> {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  const query = database.prepare('SELECT message FROM deploy_log WHERE deploy_id = ?');
  try {
    const deadline = Date.now() + 120_000;
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

/** Whether a deploy had not ended when its service did; looks into the database. */
function isUnderWay(path: string, deployId: string): boolean {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  try {
    const row = database.prepare('SELECT state FROM deploys WHERE id = ?').get(deployId);
    return row?.state === 'queued' || row?.state === 'building';
  } finally {
    database.close();
  }
}

/**
 * Plays a deploy during which a service ends again and again, each time in the midst of it: with another document where
 * the deploy was done before, as where this process stood still. `play` gives the deploy, and whether all ends were so.
 */
async function inTheMidst(
  play: (title: string) => Promise<{ id: string; isRight: boolean }>,
): Promise<string> {
  for (let tries = 1; tries <= 5; tries++) {
    const { id, isRight } = await play(`try ${tries}`);
    if (isRight) return id;
  }
  return assert.fail('each deploy was done before its service ended');
}

test('a deploy whose builds end the process each time is marked failed, and others are built', async (t) => {
  const folder = await temporaryFolder(t);
  let running = await serveDashboard(t, folder);
  const { post, read } = await signedInProject(folder, () => running.url);
  const database = `${folder}/data/dashboard.db`;
  const id = await inTheMidst(async (title) => {
    const { id } = await post(titledDocument(title, MANY_OPERATIONS));
    let isRight = true;
    for (let attempt = 1; attempt <= 3 && isRight; attempt++) {
      // A first build begins, and those after it begin anew.
      await lineOf(database, id, /^The build begins|begins anew/, attempt);
      await killAtOnce(running);
      isRight = isUnderWay(database, id);
      running = await serveDashboard(t, folder);
    }
    return { id, isRight };
  });
  const next = await post(titledDocument('harmless', 2));
  const deadline = Date.now() + 120_000;
  while ((await read(next.id)).state !== 'succeeded') {
    assert.ok(Date.now() < deadline, 'the next deploy is stuck');
    await sleep(50);
  }
  const deadly = await read(id);
  assert.equal(deadly.state, 'failed');
  assert.match(deadly.errors[0]?.message ?? '', /3 times/);
});

test('a service that is stopped in order during a build gives it back, however often', async (t) => {
  const folder = await temporaryFolder(t);
  let running = await serveDashboard(t, folder);
  const { post, read } = await signedInProject(folder, () => running.url);
  const database = `${folder}/data/dashboard.db`;
  const id = await inTheMidst(async (title) => {
    const { id } = await post(titledDocument(title, MANY_OPERATIONS));
    let isRight = true;
    for (let stop = 1; stop <= 4 && isRight; stop++) {
      await lineOf(database, id, /^The build begins/, stop);
      running.child.kill('SIGTERM');
      assert.equal((await finished(running)).code, 0);
      isRight = isUnderWay(database, id);
      running = await serveDashboard(t, folder);
    }
    return { id, isRight };
  });
  const deadline = Date.now() + 120_000;
  while ((await read(id)).state !== 'succeeded') {
    assert.ok(Date.now() < deadline, JSON.stringify(await read(id)));
    await sleep(50);
  }
});

test('dashboard deploy goes on when the service is killed and started again meanwhile', async (t) => {
  const folder = await temporaryFolder(t);
  const port = `${await anyPort([])}`;
  let running = await serveDashboard(t, folder, { DASHBOARD_PORT: port });
  const { token, read } = await signedInProject(folder, () => running.url);
  const env = { DASHBOARD_URL: running.url, DASHBOARD_TOKEN: token };
  const database = `${folder}/data/dashboard.db`;
  let known = 0;
  let said = '';
  const id = await inTheMidst(async (title) => {
    await writeFile(join(folder, 'openapi.json'), titledDocument(title, OPERATIONS));
    const deployed = dashboard(folder, ['deploy', '--project', 'petstore', 'openapi.json'], env);
    const id = await deployAfter(database, known++);
    await lineOf(database, id, /^Checking/);
    await killAtOnce(running);
    const isRight = isUnderWay(database, id);
    running = await serveDashboard(t, folder, { DASHBOARD_PORT: port });
    const { code, stderr } = await deployed;
    assert.equal(code, 0, stderr);
    said = stderr;
    return { id, isRight };
  });
  assert.match(said, /begins anew[\s\S]*Succeeded, and live\./);
  assert.equal(said.match(/Received/g)?.length, 1, 'no line twice');
  assert.ok((await read(id)).live);
});

/** The id of the deploy that follows so many others, once it is there. */
async function deployAfter(path: string, known: number): Promise<string> {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  try {
    const deadline = Date.now() + 120_000;
    for (;;) {
      const row = database
        .prepare('SELECT id FROM deploys ORDER BY created_at LIMIT 1 OFFSET ?')
        .get(known);
      if (row) return String(row.id);
      assert.ok(Date.now() < deadline, 'no deploy');
      await sleep(5);
    }
  } finally {
    database.close();
  }
}
