import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { assertTook } from '@petstore/test-support/within.ts';
import { appendLog } from '../../server/src/store/deploys.ts';
import { createProject, idOf, joinAs, makeToken } from '../support/project.ts';
import { json, signIn, startService, type Visitor } from '../support/service.ts';
import { putDeploy, UP_TO_DATE } from '../support/store.ts';

/** A stream ends within this long after the right to read it, in milliseconds; a machine may be busy. */
const SOON_MS = 3_000;

/** A stream that does not end is given up. */
const SILENCE_MS = 60_000;

interface Stream {
  /** Waits until the stream has told of a line. */
  heard(line: string): Promise<void>;
  /** All that it told, once it has ended. */
  end(): Promise<string>;
}

async function follow(reader: Visitor, path: string): Promise<Stream> {
  const answer = await reader.call('GET', path, undefined, { accept: 'text/event-stream' });
  assert.equal(answer.status, 200);
  const chunks = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const read = async () => {
    const late = sleep(SILENCE_MS, undefined, { ref: false });
    const silence = late.then(() => assert.fail(`neither ended nor told more: ${text}`));
    const { done = true, value = '' } = (await Promise.race([chunks?.read(), silence])) ?? {};
    text += value;
    return !done;
  };
  return {
    async heard(line) {
      while (!text.includes(line)) assert.ok(await read(), text);
    },
    async end() {
      const began = performance.now();
      while (await read());
      await assertTook(performance.now() - began, SOON_MS);
      return text;
    },
  };
}

/** Two processes on one database, as far as they know of each other: what ends here is read there. */
async function makeWorld(t: Parameters<typeof startService>[0], databaseUrl: string) {
  const here = await startService(t, { databaseUrl });
  const root = await here.signUp('root@example.com');
  await createProject(root, 'pets');
  const ann = await joinAs(here, root, 'pets', 'ann@example.com', 'viewer');
  const there = await startService(t, { databaseUrl });
  const { id } = await here.db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
  // Another process builds it, and takes its time.
  const deployId = await putDeploy(here.db, id, 1, {
    state: 'building',
    leased_by: 'another',
    leased_until: Date.now() + 3_600_000,
  });
  const say = (message: string) => appendLog(here.db, deployId, Date.now(), 'info', message);
  return { here, there, root, ann, say, path: `/api/projects/pets/deploys/${deployId}/log` };
}

onSharedEngines('a stream of a log ends with the right to read it', async (t, engine) => {
  const world = await makeWorld(t, await engine.createDatabase(t, UP_TO_DATE));
  const { there, root, ann, say, path } = world;
  const made = await makeToken(ann);
  const removed = await makeToken(ann, 'pets');
  const streams = {
    signedOut: await follow(await signIn(there, 'ann@example.com'), path),
    revoked: await follow(there.visitor().withToken(made.token), path),
    member: await follow(there.visitor().withToken((await makeToken(ann)).token), path),
    projectToken: await follow(there.visitor().withToken(removed.token), path),
    owner: await follow(await signIn(there, 'root@example.com'), path),
  };
  await say('for all');
  for (const stream of Object.values(streams)) await stream.heard('for all');

  assert.equal((await ann.call('DELETE', '/api/account/sessions')).status, 204);
  await say('after the sessions');
  assert.doesNotMatch(await streams.signedOut.end(), /after the sessions|event: end/);

  assert.equal((await ann.call('DELETE', `/api/account/tokens/${made.id}`)).status, 204);
  assert.doesNotMatch(await streams.revoked.end(), /event: end/);
  await streams.member.heard('after the sessions');

  // Renamed, it is the same project: who may read goes on.
  await json(await root.call('PATCH', '/api/projects/pets', { slug: 'animals' }));
  await say('after the move');
  await streams.member.heard('after the move');

  const gone = await root.call('DELETE', `/api/projects/animals/members/${await idOf(ann)}`);
  assert.equal(gone.status, 204);
  await say('after the member');
  assert.doesNotMatch(await streams.member.end(), /after the member/);
  assert.doesNotMatch(await streams.projectToken.end(), /after the member/);
  await streams.owner.heard('after the member');

  const deleted = await root.call('DELETE', '/api/projects/animals', { confirm: 'animals' });
  assert.equal(deleted.status, 204);
  assert.doesNotMatch(await streams.owner.end(), /event: end/);
  assert.ok(
    there.logged.every((line) => JSON.parse(line).level < 50),
    'nothing went wrong',
  );
});
