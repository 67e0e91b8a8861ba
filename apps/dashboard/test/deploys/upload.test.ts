import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { closed } from '@petstore/test-support/closed.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { sql } from 'kysely';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import { zipOf } from '../support/archives.ts';
import { endIdleBuilders, holdBuilds } from '../support/held-builds.ts';
import {
  createProject,
  documentTitled,
  finished,
  idOf,
  joinAs,
  makeToken,
} from '../support/project.ts';
import { assertError, json, type Service, startService, type Visitor } from '../support/service.ts';
import { lockWaits, UP_TO_DATE } from '../support/store.ts';

const PATH = '/api/projects/pets/deploys';

async function owned(service: Service): Promise<Visitor> {
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  return root;
}

test('an upload is taken in each coding, as it was before', async (t) => {
  const service = await startService(t);
  const root = await owned(service);
  const document = Buffer.from(documentTitled('Pets'));
  const send = (body: Uint8Array, coding: string) =>
    root.call('POST', PATH, new Uint8Array(body), { 'content-encoding': coding });
  const coded = {
    gzip: gzipSync(document),
    'X-GZIP': gzipSync(document),
    br: brotliCompressSync(document),
    zstd: zstdCompressSync(document),
    deflate: deflateSync(document),
    identity: document,
  };
  for (const [coding, body] of Object.entries(coded)) {
    const { sourceName, id } = await json<Deploy>(await send(body, coding), 202);
    assert.equal(sourceName, 'openapi.json', coding);
    assert.equal((await finished(root, 'pets', id)).state, 'succeeded', coding);
  }
});

test('an upload that is not coded as it says, or is too large without its coding, is refused', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await startService(t, { dataDir });
  const root = await owned(service);
  const send = (body: Uint8Array, coding: string) =>
    root.call('POST', PATH, new Uint8Array(body), { 'content-encoding': coding });
  const document = Buffer.from(documentTitled('Pets'));
  for (const coding of ['gzip', 'br', 'zstd', 'deflate']) {
    const wrong = await assertError(await send(document, coding), 400, 'invalid_request');
    assert.match(wrong, /not compressed as its Content-Encoding/, coding);
  }
  const half = await send(gzipSync(document).subarray(0, 40), 'gzip');
  assert.match(await assertError(half, 400, 'invalid_request'), /not compressed as/);
  for (const coding of ['compress', 'gzip, gzip', 'x']) {
    const answer = await send(document, coding);
    assert.equal(answer.headers.get('accept-encoding'), 'gzip, br, zstd, deflate');
    await assertError(answer, 415, 'unsupported_media_type');
  }
  // RFC 8878, section 3.1.1: a frame that asks for a window of 128 MB.
  const wide = await send(Buffer.from('28b52ffd0088010000', 'hex'), 'zstd');
  assert.match(await assertError(wide, 400, 'invalid_request'), /not compressed as/);
  const bomb = gzipSync(Buffer.alloc(60_000_000));
  const large = await assertError(await send(bomb, 'gzip'), 413, 'payload_too_large');
  assert.match(large, /more than the 50\.0 MB that this service takes/);
  assert.deepEqual(spooled(dataDir), [], 'nothing of them stays');
});

test('a deploy of an archive may name the document in it, and nothing that is none', async (t) => {
  const service = await startService(t);
  const root = await owned(service);
  const archive = zipOf([
    {
      name: 'specs/payments.yaml',
      content: `${documentTitled('Payments').slice(0, -1)},"externalDocs":{"$ref":"../x.yaml"}}`,
    },
    { name: 'other.yaml', content: documentTitled('Other') },
    { name: 'x.yaml', content: 'url: https://example.com\n' },
  ]);
  const send = (document: string, body: Uint8Array = archive) =>
    root.call('POST', `${PATH}?document=${encodeURIComponent(document)}`, new Uint8Array(body));
  const refused = [
    '../a.yaml',
    '/specs/payments.yaml',
    'specs//payments.yaml',
    './other.yaml',
    'specs',
    'logo.png',
    '',
    'a'.repeat(300),
  ];
  for (const document of refused) await assertError(await send(document), 400, 'invalid_request');
  const alone = await send('openapi.yaml', Buffer.from(documentTitled('Pets')));
  assert.match(await assertError(alone, 400, 'invalid_request'), /the body is a document itself/);

  const { id } = await json<Deploy>(await send('specs/payments.yaml'), 202);
  const made = await finished(root, 'pets', id);
  assert.deepEqual([made.state, made.warnings, made.errors], ['succeeded', [], []]);
  const gone = await finished(root, 'pets', (await json<Deploy>(await send('gone.yaml'), 202)).id);
  assert.match(gone.errors[0]?.message ?? '', /The archive has no file `gone\.yaml`/);
});

test('what is wrong in a file of an archive is told with that file', async (t) => {
  const service = await startService(t);
  const root = await owned(service);
  const archive = zipOf([
    {
      name: 'openapi.yaml',
      content:
        'openapi: 3.1.0\ninfo: {title: Pets, version: "1"}\npaths: {/pets: {$ref: pets.yaml}}\n',
    },
    { name: 'pets.yaml', content: 'get:\n  responses: {"200": {description: 7}}\n' },
  ]);
  const deploy = async (query: string) => {
    const queued = await root.call('POST', `${PATH}?${query}`, new Uint8Array(archive));
    return finished(root, 'pets', (await json<Deploy>(queued, 202)).id);
  };
  const place = { file: 'pets.yaml', path: '/get/responses/200/description', line: 2 };
  const { warnings } = await deploy('strict=false');
  assert.deepEqual(
    warnings.map(({ file, path, line }) => ({ file, path, line })),
    [place],
  );
  const { errors } = await deploy('strict=true');
  assert.deepEqual(
    errors.map(({ file, path, line }) => ({ file, path, line })),
    [place],
  );
});

/** The sizes of the files of uploads. */
function spooled(dataDir: string): number[] {
  const spool = join(dataDir, 'spool');
  // Not what is below: a build removes its folders while they are read.
  return readdirSync(spool)
    .flatMap((own) => readdirSync(join(spool, own)).map((name) => join(spool, own, name)))
    .filter((path) => /\/[0-9a-f]{16}$/.test(path))
    .map((path) => statSync(path, { throwIfNoEntry: false }))
    .flatMap((entry) => (entry?.isFile() ? [entry.size] : []));
}

test('a document is taken under any type or none, whole or in chunks', async (t) => {
  const service = await startService(t);
  const root = await owned(service);
  const yaml = 'openapi: 3.1.0\ninfo: {title: Pets, version: "1"}\npaths: {}\n';
  const uploads: [type: string, body: string, name: string][] = [
    ['application/json', documentTitled('Pets'), 'openapi.json'],
    ['application/yaml', yaml, 'openapi.yaml'],
    ['text/plain', yaml, 'openapi.yaml'],
    ['application/octet-stream', documentTitled('Pets'), 'openapi.json'],
    ['application/x-www-form-urlencoded', yaml, 'openapi.yaml'],
    ['image/png', yaml, 'openapi.yaml'],
  ];
  for (const [type, body, name] of uploads) {
    const bytes = new TextEncoder().encode(body);
    const answer = await root.call('POST', PATH, bytes, { 'content-type': type });
    const deploy = await json<Deploy>(answer, 202);
    assert.equal(deploy.state, 'queued');
    assert.equal(deploy.sourceName, name, type);
    assert.equal(answer.headers.get('location'), `${PATH}/${deploy.id}`);
    assert.match(deploy.id, /^[a-z2-7]{12}$/);
    assert.equal(deploy.url, `http://pets--${deploy.id}.docs.localhost:${service.edgePort}`);
  }
  const bare = await rawUpload(service, root, 'transfer-encoding: chunked', [
    `${yaml.length.toString(16)}\r\n`,
    `${yaml}\r\n`,
    '0\r\n\r\n',
  ]);
  assert.equal(bare.status, 202, bare.body);
  const sizes = await service.db
    .selectFrom('deploys')
    .select('source_size')
    .orderBy('number')
    .execute();
  const sent = [...uploads.map(([, body]) => body), yaml].map(({ length }) => length);
  assert.deepEqual(
    sizes.map(({ source_size }) => source_size),
    sent,
  );
});

/** An upload without a type. */
async function rawUpload(service: Service, root: Visitor, header: string, pieces: string[] = []) {
  const { token } = await makeToken(root);
  const lines = [
    `POST ${PATH} HTTP/1.1`,
    'host: dashboard',
    'connection: close',
    `authorization: Bearer ${token}`,
    header,
  ];
  const port = Number(new URL(service.origin).port);
  const [answer] = await exchange(port, [`${lines.join('\r\n')}\r\n\r\n`, ...pieces]);
  assert.ok(answer);
  return answer;
}

test('an empty body is refused, and one beyond the limit before it is read', async (t) => {
  const service = await startService(t);
  const root = await owned(service);
  for (const headers of [{}, { 'content-type': 'application/json' }]) {
    const empty = await root.call('POST', PATH, '', headers);
    assert.match(await assertError(empty, 400, 'invalid_request'), /it is empty/);
  }
  await assertError(await root.call('POST', PATH), 400, 'invalid_request');
  const announced = await rawUpload(service, root, 'content-length: 50000001');
  assert.equal(announced.status, 413);
  assert.equal(
    JSON.parse(announced.body).message,
    'The upload has 50,000,001 bytes, more than the 50,000,000 bytes that this service takes. Its operator sets the limit (DASHBOARD_MAX_UPLOAD_BYTES).',
  );
  assert.deepEqual(await service.db.selectFrom('deploys').select('id').execute(), []);
  assert.deepEqual(await service.db.selectFrom('blobs').select('hash').execute(), []);
});

/** A connection on which the head of an upload was sent. It reads nothing so far. */
async function beginUpload(t: TestContext, service: Service, root: Visitor, headers: string) {
  const { token } = await makeToken(root);
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
  cleanUp(t, () => socket.destroy());
  await once(socket, 'connect');
  const lines = [`POST ${PATH} HTTP/1.1`, 'host: dashboard', `authorization: Bearer ${token}`];
  socket.write(`${lines.join('\r\n')}\r\n${headers}\r\n\r\n`);
  return socket;
}

test('an upload that turns out too large is told so, also to a sender that reads when all is sent', async (t) => {
  const service = await startService(t);
  const root = await owned(service);
  const socket = await beginUpload(t, service, root, 'transfer-encoding: chunked');
  const chunk = Buffer.concat([
    Buffer.from('f4240\r\n'),
    Buffer.alloc(1_000_000, ' '),
    Buffer.from('\r\n'),
  ]);
  for (let sent = 0; sent < 60; sent++) {
    if (!socket.write(chunk)) await once(socket, 'drain');
  }
  socket.write('0\r\n\r\n');
  const [answer] = await once(socket, 'data');
  assert.match(
    `${answer}`,
    /^HTTP\/1\.1 413 [\s\S]*has more than the 50\.0 MB that this service takes/,
  );
});

test('nothing stays of an upload whose sender leaves before the response', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await startService(t, { dataDir });
  const root = await owned(service);
  const sizes = () => spooled(dataDir);
  const document = documentTitled('Pets');
  for (const [name, body] of [
    ['%', Buffer.alloc(1_000_000, ' ')], // Refused.
    ['pets.json', Buffer.from(document.padEnd(5_000))],
  ] as const) {
    for (let time = 0; time < 4; time++) {
      const headers = `x-file-name: ${name}\r\ncontent-length: ${body.length}`;
      const socket = await beginUpload(t, service, root, headers);
      socket.write(body.subarray(0, -1));
      await timeUntil(async () => sizes().includes(body.length - 1));
      socket.end(body.subarray(-1), () => socket.destroy());
      await closed(socket);
    }
  }
  await timeUntil(async () => sizes().length === 0);
});

test('who may not deploy is told so before the upload is read', async (t) => {
  const service = await startService(t);
  await owned(service);
  const port = Number(new URL(service.origin).port);
  const head = `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 40000000\r\n\r\n{`;
  const [answer] = await exchange(port, head);
  assert.equal(answer?.status, 401);
});

test('the name of a file is shown without folders and control characters', async (t) => {
  const service = await startService(t);
  const root = await owned(service);
  const names: [given: string, shown: string][] = [
    ['pets.yaml', 'pets.yaml'],
    ['%E7%8C%AB%20%F0%9F%90%88.yaml', '猫 🐈.yaml'],
    ['..%2F..%2Fetc%2Fpasswd', 'passwd'],
    ['C%3A%5Cdocs%5Cpets.json', 'pets.json'],
    ['a%00b%0Ac%E2%80%AEd.json', 'abcd.json'],
    ['%20', 'openapi.json'],
    ['%2F', 'openapi.json'],
    ['', 'openapi.json'],
    ['n'.repeat(300), 'n'.repeat(200)],
    ['%3Cscript%3E', '<script>'],
  ];
  for (const [given, shown] of names) {
    const headers = { 'x-file-name': given };
    const answer = await root.call('POST', PATH, documentTitled('Pets'), headers);
    assert.equal((await json<Deploy>(answer, 202)).sourceName, shown);
  }
  for (const bad of ['%', '%ff', '%ed%a0%80', 'a%zz']) {
    const answer = await root.call('POST', PATH, '{}', { 'x-file-name': bad });
    assert.match(await assertError(answer, 400, 'invalid_request'), /percent-encoded UTF-8/);
  }
  const long = await root.call('POST', PATH, '{}', { 'x-file-name': 'n'.repeat(1_001) });
  assert.match(await assertError(long, 400, 'invalid_request'), /x-file-name must be at most 1000/);
});

test('an upload whose sender loses the right while it is stored is not deployed [PostgreSQL]', async (t) => {
  const databaseUrl = await (await sharedServer()).copyDatabase(UP_TO_DATE);
  const service = await startService(t, { databaseUrl });
  const root = await owned(service);
  const eve = await joinAs(service, root, 'pets', 'eve@example.com', 'editor');
  const eveId = await idOf(eve);
  const late = await service.db.transaction().execute(async (trx) => {
    await sql`LOCK TABLE deploy_sources IN SHARE MODE`.execute(trx);
    const uploaded = eve.call('POST', PATH, documentTitled('Hers'));
    await lockWaits(service.db);
    assert.equal((await root.call('DELETE', `/api/projects/pets/members/${eveId}`)).status, 204);
    return { uploaded };
  });
  await assertError(await late.uploaded, 404, 'not_found');
  for (const table of ['deploys', 'deploy_sources'] as const) {
    assert.deepEqual(await service.db.selectFrom(table).selectAll().execute(), [], table);
  }
});

test('a project has twenty deploys waiting at most', async (t) => {
  const service = await startService(t);
  const root = await owned(service);
  // Builds of a project follow each other.
  await endIdleBuilders();
  await json<Deploy>(await root.call('POST', PATH, documentTitled('Pets')), 202);
  await holdBuilds(t, 1);
  const answers: Response[] = [];
  for (let group = 0; group < 5; group++) {
    const uploads = Array.from({ length: 5 }, (_, at) =>
      root.call('POST', PATH, documentTitled(`Pets ${group} ${at}`)),
    );
    answers.push(...(await Promise.all(uploads)));
  }
  // With the one that is built they are twenty.
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 202).length, 19, `${statuses}`);
  assert.equal(statuses.filter((status) => status === 409).length, 6, `${statuses}`);
  const numbers = await Promise.all(
    answers.filter(({ ok }) => ok).map(async (answer) => (await json<Deploy>(answer, 202)).number),
  );
  assert.deepEqual(
    numbers.toSorted((a, b) => a - b),
    Array.from(numbers, (_, at) => at + 2),
  );
});
