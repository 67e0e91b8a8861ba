import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { coverNoPrograms } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { UPLOAD_LIMITS, uploadReceiver } from '../../server/src/deploys/receive-upload.ts';
import { openSpool } from '../../server/src/spool.ts';
import { killAtOnce, ownerToken, serveDashboard } from '../support/dashboard-program.ts';
import { createProject, documentTitled, makeToken } from '../support/project.ts';
import { json, startService } from '../support/service.ts';

coverNoPrograms();

const SIZE = 49_000_000;

test('ten unfinished uploads of 49 MB take no memory, and leave nothing behind', async (t) => {
  const folder = await temporaryFolder(t);
  let running = await serveDashboard(t, folder);
  const { url, child } = running;
  const token = await makeProject(folder, url);
  const before = residentMegabytes(child.pid);
  const sockets: Socket[] = [];
  const answers: string[] = [];
  let refused = 0;
  for (let at = 0; at < 10; at++) {
    const socket = await startUpload(url, token);
    sockets.push(socket);
    socket.on('error', () => {}).on('data', (data) => answers.push(String(data)));
    const piece = Buffer.alloc(1_000_000, ' ');
    for (let sent = 0; sent < 48 && answers.length <= refused; sent++) {
      const isTaken = socket.write(piece);
      // Whoever is refused is read no further.
      while (!isTaken && socket.writableNeedDrain && answers.length <= refused) await sleep(2);
    }
    refused = answers.length;
    // So slowly that it stays on its way, and no slower: who falls silent is given up.
    const drip = setInterval(
      () => socket.writable && socket.write(Buffer.alloc(9_000, ' ')),
      1_000,
    );
    cleanUp(t, async () => clearInterval(drip));
  }
  // What was received and written is garbage until the collector comes by: in 20 s at the latest (memory-trimming.ts),
  // while all of these uploads are still on their way.
  const grown = () => residentMegabytes(child.pid) - before;
  const latest = performance.now() + 60_000;
  let grownBy = grown();
  while (grownBy >= 30 && performance.now() < latest) {
    await sleep(50);
    grownBy = grown();
  }
  assert.ok(grownBy < 30, `it grew by ${grownBy.toFixed(0)} MB`);
  // The last response may come after the last piece was sent.
  await timeUntil(async () => answers.length >= 5);
  assert.equal(answers.length, 5, 'an account has no more than so many on their way');
  for (const answer of answers) {
    assert.match(answer, /^HTTP\/1\.1 429 [\s\S]*\r\nretry-after: 5\r\n/i);
    assert.match(answer, /You have \d+ uploads on their way \(\d+ MB\)/);
  }
  const dataDir = join(folder, 'data');
  assert.ok(uploadsIn(dataDir).length > 0);
  // One is cut off; the others end with the service.
  for (const socket of sockets.slice(1, 3)) socket.destroy();
  await killAtOnce(running);
  for (const socket of sockets) socket.destroy();
  running = await serveDashboard(t, folder);
  assert.deepEqual(uploadsIn(dataDir), [], 'nothing is left of before');
});

/** The files of uploads in the spools below a folder. */
function uploadsIn(dataDir: string): string[] {
  const spool = join(dataDir, 'spool');
  // Not what is below: a build removes its folders while they are read.
  const names = readdirSync(spool).flatMap((own) => readdirSync(join(spool, own)));
  return names.filter((name) => /^[0-9a-f]{16}$/.test(name));
}

async function makeProject(folder: string, url: string): Promise<string> {
  const token = await ownerToken(folder);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = '{"name":"Pets","slug":"pets"}';
  const answer = await fetch(`${url}/api/projects`, { method: 'POST', headers, body });
  assert.equal(answer.status, 201);
  return token;
}

async function startUpload(url: string, token: string, size = SIZE): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const lines = [
    'POST /api/projects/pets/deploys HTTP/1.1',
    'host: dashboard',
    `authorization: Bearer ${token}`,
    `content-length: ${size}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

/** What was received on a connection so far. */
function answerOn(socket: Socket): () => string {
  let answer = '';
  socket
    .on('error', () => {})
    .on('data', (data) => {
      answer += data;
    });
  return () => answer;
}

function residentMegabytes(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

test('uploads are bounded for each account and in all, and one that falls silent is given up', async (t) => {
  const spool = openSpool(await temporaryFolder(t));
  cleanUp(t, spool.close);
  const limits = {
    account: { uploads: 2, bytes: 1_000 },
    total: { uploads: 3, bytes: 1_500 },
    bytesPerSecond: 1_000,
    graceMs: 1_500,
  };
  const { receive } = uploadReceiver(spool, limits, 50_000_000);
  const silent = () => new Readable({ read() {} });
  const refused = (code: string) => (error: { code?: string }) => error.code === code;
  const ends = (code: string, account: string, announced: number) =>
    assert.rejects(receive(silent(), account, announced), refused(code));
  // All in one turn: whether there is room is said when an upload begins, and none of these has ended then.
  await Promise.all([
    ends('request_timeout', 'ann', 600),
    ends('request_timeout', 'ann', 100),
    ends('rate_limited', 'ann', 1),
    ends('rate_limited', 'bob', 1_001),
    ends('unavailable', 'bob', 900),
    ends('payload_too_large', 'bob', 50_000_001),
    ends('request_timeout', 'bob', 800),
    ends('unavailable', 'eve', 1),
  ]);
  const taken = await receive(Readable.from([Buffer.from('abc')]), 'ann', 3);
  assert.equal(readFileSync(taken.path, 'utf8'), 'abc');
  assert.deepEqual(readdirSync(spool.folder), [taken.path.split('/').at(-1)]);
});

test('bytes that have arrived are in time, though this process stood still past the grace', async (t) => {
  const folder = await temporaryFolder(t);
  const spool = openSpool(folder);
  cleanUp(t, spool.close);
  // What is written to a socket of this kind has arrived.
  const server = createServer().listen(join(folder, 'socket'));
  const sender = connect(join(folder, 'socket'));
  cleanUp(t, () => {
    sender.destroy();
    server.close();
  });
  const [body] = (await once(server, 'connection')) as [Socket];
  const { receive } = uploadReceiver(spool, UPLOAD_LIMITS, 50_000_000);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // Each wait for the sender has one.
  const timers = t.mock.method(globalThis, 'setTimeout');
  const received = receive(body, 'ann', 3_000);
  const bytes = 'x'.repeat(1_000);
  const written = () =>
    readdirSync(spool.folder).map((name) => statSync(join(spool.folder, name)).size)[0];
  const untilItWaits = async (size: number, waits: number) => {
    while (written() !== size || timers.mock.callCount() < waits) await nextTurn();
  };
  sender.write(bytes);
  await untilItWaits(1_000, 2);
  sender.write(bytes);
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => now() + 2 * UPLOAD_LIMITS.graceMs);
  t.mock.timers.tick(UPLOAD_LIMITS.graceMs);
  await untilItWaits(2_000, 3);
  // What was read has earned some time, which the standstill does not take away.
  t.mock.timers.tick(1);
  await nextTurn();
  sender.end(bytes);
  assert.equal((await received).size, 3_000);
});

test('an upload that drips ends and frees its place; a slow one with a pause arrives', async (t) => {
  const graceMs = 10_000;
  const dataDir = await temporaryFolder(t);
  const account = { uploads: 2, bytes: 250_000_000 };
  const uploadLimits = { ...UPLOAD_LIMITS, account, bytesPerSecond: 1_000, graceMs };
  const { origin, signUp } = await startService(t, { dataDir }, { uploadLimits });
  const root = await signUp('root@example.com');
  await createProject(root, 'pets');
  const { token } = await makeToken(root);
  const path = '/api/projects/pets/deploys';

  // What it sends at first buys it no more than the grace.
  const dripping = await startUpload(origin, token);
  const dripped = answerOn(dripping);
  dripping.write(' '.repeat(100_000));
  const drip = setInterval(() => dripping.write(' '), 50);
  cleanUp(t, async () => clearInterval(drip));

  const document = Buffer.from(documentTitled('Slow').padEnd(6_000));
  const slow = await startUpload(origin, token, document.length);
  cleanUp(t, async () => void slow.destroy());
  const arrived = answerOn(slow);
  await timeUntil(async () => uploadsIn(dataDir).length === 2);
  const refused = await root.call('POST', path, documentTitled('Third'));
  assert.equal(refused.status, 429, await refused.text());

  for (let sent = 0; sent < document.length; sent += 200) {
    // Each piece is worth four times the pause before it; one pause is half of the grace.
    await sleep(sent === 3_000 ? graceMs / 2 : 50);
    slow.write(document.subarray(sent, sent + 200));
  }
  await timeUntil(async () => arrived() !== '');
  assert.match(arrived(), /^HTTP\/1\.1 202 /);
  await timeUntil(async () => dripped() !== '');
  assert.match(dripped(), /^HTTP\/1\.1 408 /);
  assert.match(dripped(), /"code":"request_timeout","message":"The upload stalled or was too slow/);
  await timeUntil(async () => uploadsIn(dataDir).length === 0);
  await json(await root.call('POST', path, documentTitled('Third')), 202);
  // Though the client goes on sending.
  await timeUntil(async () => dripping.closed);
});
