import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { finished } from '@petstore/test-support/program.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { tcpProxy } from '@petstore/test-support/tcp-proxy.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { generateKey } from '../../src/keys/key.ts';
import { petstore, serve } from '../support/program.ts';

/** A place that a secret may have got to, and what stands there. */
type Places = Map<string, string>;

/** Where the service's data is, how to take that away, and all that it has stored, as text. */
interface Database {
  readonly env: Record<string, string>;
  readonly password: string | undefined;
  breakDown(): Promise<void>;
  stored(): Promise<string>;
}

const DOG = '{"name":"Rex","categoryId":1}';

const random = () => randomBytes(16).toString('hex');

async function sqlite(_t: TestContext, folder: string): Promise<Database> {
  const data = join(folder, 'data');
  return {
    env: {},
    password: undefined,
    breakDown: () => rename(join(data, 'petstore.db'), join(data, 'moved.db')),
    async stored() {
      const files = await readdir(data);
      return (await Promise.all(files.map((file) => readFile(join(data, file), 'latin1')))).join();
    },
  };
}

async function postgresql(t: TestContext): Promise<Database> {
  const server = await sharedServer();
  const url = await server.createDatabase();
  const password = `canary-${random()}`;
  const role = `canary_${random()}`;
  const sql = connectTo(url);
  cleanUp(t, () => sql.end());
  await sql.unsafe(
    `CREATE ROLE ${role} LOGIN PASSWORD '${password}'; GRANT CREATE, USAGE ON SCHEMA public TO ${role}`,
  );
  const proxy = await tcpProxy(t, server.port);
  const address = new URL(url);
  Object.assign(address, { username: role, password, port: `${proxy.port}` });
  return {
    env: { PETSTORE_DATABASE_URL: address.href },
    password,
    async breakDown() {
      proxy.refuse();
      proxy.reset();
    },
    async stored() {
      const tables = await sql<{
        tablename: string;
      }>`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`;
      const rows = tables.map(({ tablename }) => sql.unsafe(`SELECT t::text FROM ${tablename} t`));
      return JSON.stringify(await Promise.all(rows));
    },
  };
}

/** Sends secrets to every place of a request where one might go by mistake; what comes back. */
async function sendEverywhere(origin: string, keys: readonly string[], other: string) {
  const port = Number(new URL(origin).port);
  const answers: string[] = [];
  const ask = async (path: string, headers: Record<string, string>, body?: string) => {
    const method = body === undefined ? 'GET' : 'POST';
    const init = { method, headers, redirect: 'manual', ...(body && { body }) } as const;
    const answer = await fetch(origin + path, init);
    answers.push(JSON.stringify([...answer.headers]) + (await answer.text()));
  };
  const json = { 'content-type': 'application/json' };
  for (const key of keys) {
    const authorization = `Bearer ${key}`;
    const also = { 'idempotency-key': other, cookie: `session=${other}`, 'x-api-key': key };
    for (let i = 0; i < 3; i++) await ask('/v1/pets', { authorization, ...also });
    await ask(
      '/v1/pets',
      { authorization, ...also, ...json },
      '{"name":"Rex","categoryId":1,"token":"x"}',
    );
    await ask(`/v1/pets?api_key=${key}`, { authorization, ...json }, DOG);
    await ask('/v1/pets', { authorization, ...json }, `{"name":"Rex","categoryId":"${key}"}`);
    await ask('/v1/pets', { authorization, ...json }, `{"name":"${key}`);
    await ask('/v1/pets', { authorization, ...json }, key);
    await ask('/v1/pets', { authorization, 'content-type': key }, key);
    for (const scheme of ['Basic ', 'Bearer  x', 'bearer\t', '']) {
      await ask('/v1/pets', { authorization: scheme + key });
    }
    await ask('/v1/pets', { authorization: `${authorization}x` });
    await ask('/v1/pets', { authorization, 'x-request-id': key, traceparent: key, origin: key });
    await ask('/v1/pets/1', { authorization, 'if-none-match': `"${key}"` });
    await ask(`/v1/pets?limit=${key}&status=${key}&cursor=${key}&api_key=${key}`, {
      authorization,
    });
    for (const path of [`/v1/pets/${key}`, `/${key}`, `/reference/${key}`, `/errors/${key}`]) {
      await ask(path, { authorization });
    }
    await ask('/metrics', { authorization });
    await ask('/readyz', { authorization });
    const raw = [
      `GET /v1/pets HTTP/1.1\r\nAuthorization: ${authorization}\r\n\r\n`,
      `GET /${key} HTTP/1.1\r\nHost: ${key}\r\n${key}\r\n\r\n`,
      `${key} /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n`,
      `GET /v1/pets HTTP/${key}\r\nHost: a\r\n\r\n`,
      `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nAuthorization: ${authorization}\r\n\r\n`,
      `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\u0001\r\n\r\n`,
      `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Length: ${key}\r\n\r\n`,
      `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nTransfer-Encoding: chunked\r\n\r\n${key}\r\n`,
    ];
    const options = { timeoutMs: 100 };
    const received = await Promise.all(raw.map((bytes) => exchange(port, bytes, options)));
    answers.push(JSON.stringify(received));
  }
  return answers.join('\n');
}

for (const [name, open] of Object.entries({ SQLite: sqlite, PostgreSQL: postgresql })) {
  test(`no secret leaves the process but to whom it is shown [${name}]`, async (t) => {
    const folder = await temporaryFolder(t);
    const database = await open(t, folder);
    const { env } = database;
    const places: Places = new Map();
    /** Runs a command; `shows` a key on standard output if it is made for that. */
    const run = async (shows: boolean, ...args: string[]) => {
      const outcome = await petstore(folder, args, env);
      places.set(`stderr of ${args[0]} ${args[1]}`, outcome.stderr);
      if (!shows) places.set(`stdout of ${args[0]} ${args[1]}`, outcome.stdout);
      return outcome.stdout;
    };
    const make = async (...args: string[]) =>
      JSON.parse(await run(true, 'keys', 'create', '--name', 'canary', '--json', ...args)) as {
        id: string;
        key: string;
      };
    const admin = await make('--scope', 'admin');
    const reader = await make('--scope', 'pets:read');
    const revoked = await make();
    await run(false, 'keys', 'revoke', revoked.key);
    const successor = JSON.parse(await run(true, 'keys', 'rotate', reader.id, '--json')) as {
      key: string;
    };
    const unknown = generateKey('canary', 'production', new Date()).key;
    const other = `canary-${random()}`;
    const metricsToken = `canary-${random()}`;
    const keys = [admin.key, reader.key, revoked.key, successor.key, unknown];

    for (const level of ['trace', 'info']) {
      const program = await serve(t, folder, {
        ...env,
        PETSTORE_LOG_LEVEL: level,
        PETSTORE_METRICS_TOKEN: metricsToken,
      });
      places.set(`answers, ${level}`, await sendEverywhere(program.origin, keys, other));
      for (const token of [metricsToken, `${metricsToken}x`]) {
        const headers = { authorization: `Bearer ${token}` };
        const answer = await fetch(`${program.origin}/metrics`, { headers });
        assert.equal(answer.status, token === metricsToken ? 200 : 401);
        places.set(`metrics, ${level}, ${answer.status}`, await answer.text());
      }
      const { pid } = program.child;
      const processFiles = ['cmdline', 'comm'].map((file) => readFile(`/proc/${pid}/${file}`));
      places.set(`process, ${level}`, (await Promise.all(processFiles)).join(' '));
      if (level === 'info') {
        const commands = [
          ['keys', 'list'],
          ['audit', '--json'],
          ['keys', 'revoke', unknown],
        ];
        await Promise.all(commands.map((words) => run(false, ...words)));
        places.set('database', await database.stored());
        await database.breakDown();
        const few = [admin.key, unknown];
        places.set('answers, broken', await sendEverywhere(program.origin, few, other));
        await run(false, 'keys', 'list');
      }
      program.child.kill();
      await finished(program);
      places.set(`stdout, ${level}`, program.output.stdout);
      places.set(`log, ${level}`, program.output.stderr);
      assert.match(
        program.output.stderr,
        level === 'trace' ? /"msg":"request"/ : /"level":"error"/,
      );
    }

    const secrets = [
      ...keys.map((key) => key.slice('pk_live_'.length).slice(0, 12)),
      metricsToken,
      ...(database.password ? [database.password] : []),
    ];
    for (const [place, text] of places) {
      assert.ok(text.length > 0 || /^std(out|err) of/.test(place), `${place} is empty`);
      for (const secret of secrets) {
        assert.ok(!text.includes(secret), `${place} shows ${secret}`);
      }
    }
    const elsewhere = keys.flatMap((key) => [
      other,
      hash('sha256', key, 'base64'),
      hash('sha256', key, 'hex'),
    ]);
    for (const [place, text] of places) {
      if (place === 'database') continue; // Where they belong.
      for (const it of elsewhere) assert.ok(!text.includes(it), `${place} shows ${it}`);
    }
  });
}

test('a password in a setting that cannot be used is not repeated', async (t) => {
  const folder = await temporaryFolder(t);
  const secret = `canary-${random()}`;
  const file = join(folder, 'url');
  await writeFile(file, `postgres://u:${secret}@127.0.0.1:1/`);
  const server = await sharedServer();
  const settings: Record<string, string>[] = [
    { PETSTORE_DATABASE_URL: `postgres://petstore:${secret}@127.0.0.1:${server.port}/postgres` },
    { PETSTORE_DATABASE_URL: `postgres://petstore:${secret}@127.0.0.1:1/petstore` },
    { PETSTORE_DATABASE_URL: `postgres://petstore:${secret}@no.such.host.invalid/petstore` },
    { PETSTORE_DATABASE_URL: `postgres://petstore:${secret}@/petstore` },
    { PETSTORE_DATABASE_URL: `postgres://petstore:%zz${secret}@127.0.0.1:1/petstore` },
    { PETSTORE_DATABASE_URL: `postgres://petstore@127.0.0.1/petstore/x?password=${secret}` },
    { PETSTORE_DATABASE_URL: `mysql://petstore:${secret}@127.0.0.1/petstore` },
    { PETSTORE_DATABASE_URL: `sqlite://petstore:${secret}@127.0.0.1/petstore` },
    { PETSTORE_DATABASE_URL_FILE: file },
    { PETSTORE_BASE_URL: `https://petstore:${secret}@api.example.com/v1` },
    { PETSTORE_BASE_URL: `https://api.example.com/v1?token=${secret}` },
    { PETSTORE_CORS_ORIGINS: `https://petstore:${secret}@api.example.com` },
  ];
  const outcomes = settings.map(async (env) => {
    const variable = Object.keys(env)[0] ?? '';
    for (const command of [['serve'], ['keys', 'list']]) {
      const isDatabase = variable.startsWith('PETSTORE_DATABASE');
      if (!isDatabase && command[0] !== 'serve') continue;
      const { code, stdout, stderr } = await petstore(folder, command, env);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /^petstore: /, 'a sentence, not a stack');
      assert.ok(!(stdout + stderr).includes(secret), `${command} with ${variable}: ${stderr}`);
    }
  });
  await Promise.all(outcomes);
});
