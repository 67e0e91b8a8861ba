import { parseArgs } from 'node:util';
import { encodeCursor } from '../../apps/petstore/src/http/pagination.ts';
import { createPetstoreFile, emptyFolder, fileMiB, petstoreCommand, seedPets } from './data.ts';
import { BenchError } from './failure.ts';
import { type Growth, OPERATIONS, type Operated, type Operation } from './growth-results.ts';
import { type LoadResult, type LoadRun, runLoad } from './loads.ts';
import { choosePinning, describeMachine, type Pinning } from './machine.ts';
import { publish } from './publish.ts';
import { main, positive } from './run.ts';
import { type Running, startServer } from './service.ts';
import { type Spread, spread } from './statistics.ts';
import { precise, table, whole } from './table.ts';

const HELP = `npm run bench:growth -- [options]

Measures the service on databases of 1 thousand to 10 million pets, and writes
bench/results/growth.json and the tables of docs/performance.md. Needs 2 GiB of disk.

  --max N        the largest database; the others have a tenth, … (default 10000000)
  --rounds N     rounds (default 5)
  --seconds N    length of each load in each round (default 2)
  --data DIR     folder for the databases, on a disk (default bench/data)
  --help         show this
`;

const SMALLEST = 1_000;
const CONNECTIONS = 32;
const MEMORY_CONNECTIONS = 64;
const LIST = '/v1/pets?limit=20';

/** A list must be read from the database each time, or its cost would not depend on the size. */
const UNCACHED = { PETSTORE_PAGE_CACHE_BYTES: '0' };

interface Database {
  readonly pets: number;
  readonly path: string;
  readonly key: string;
}

interface Served extends Running {
  readonly database: Database;
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      max: { type: 'string', default: '10000000' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      data: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const max = positive('--max', values.max);
  const rounds = positive('--rounds', values.rounds);
  const seconds = positive('--seconds', values.seconds);
  if (max < SMALLEST) throw new BenchError(`--max must be at least ${SMALLEST}.`);

  const { pinning } = choosePinning();
  const machine = describeMachine(pinning);
  const folder = emptyFolder('growth', values.data);
  const databases = sizes(max).map((pets) => seed(folder, pets));
  const files = databases.map(({ path }) => fileMiB(path));

  // Reads come first: creates change how many pets there are.
  const starts = await measureStarts(databases, rounds, pinning);
  console.log('Started.');
  const measured = await withServers(databases, UNCACHED, pinning, (servers) =>
    measure(servers, ['first', 'middle', 'rare', 'get'], { rounds, seconds, pinning }),
  );
  const { peaks, creates } = await withServers(databases, {}, pinning, async (servers) => ({
    peaks: await measureMemory(servers, rounds * seconds, pinning),
    creates: await measure(servers, ['create'], { rounds, seconds, pinning }),
  }));

  const growth: Growth = {
    machine,
    rounds,
    seconds,
    connections: CONNECTIONS,
    sizes: databases.map(({ pets }, at) => ({
      pets,
      fileMiB: files[at] ?? Number.NaN,
      startMs: starts[at] as Spread,
      peakMiB: peaks[at] ?? Number.NaN,
      operations: { ...measured[at], ...creates[at] } as Record<Operation, Operated>,
    })),
  };
  print(growth);
  publish('growth', growth);
});

/** 1,000, 10,000, … up to the largest. */
function sizes(max: number): number[] {
  const steps: number[] = [];
  for (let pets = SMALLEST; pets < max; pets *= 10) steps.push(pets);
  return [...steps, max];
}

function seed(folder: string, pets: number): Database {
  const path = `${folder}/${pets}.db`;
  const key = createPetstoreFile(path);
  const begun = performance.now();
  seedPets(path, pets);
  console.log(
    `Seeded ${whole(pets)} pets in ${((performance.now() - begun) / 1_000).toFixed(1)} s`,
  );
  return { pets, path, key };
}

async function measureStarts(
  databases: readonly Database[],
  rounds: number,
  pinning: Pinning | undefined,
): Promise<Spread[]> {
  const times = databases.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, { path, key }] of databases.entries()) {
      const { server, startMs } = await startServer(
        petstoreCommand(path),
        LIST,
        key,
        pinning?.server,
      );
      await server.stop();
      times[at]?.push(startMs);
    }
  }
  return times.map(spread);
}

/** Runs a server for each database, all at once, so that they can take turns. */
async function withServers<T>(
  databases: readonly Database[],
  settings: Readonly<Record<string, string>>,
  pinning: Pinning | undefined,
  work: (servers: readonly Served[]) => Promise<T>,
): Promise<T> {
  const servers: Served[] = [];
  try {
    for (const database of databases) {
      const command = petstoreCommand(database.path, settings);
      const running = await startServer(command, LIST, database.key, pinning?.server);
      servers.push({ ...running, database });
    }
    return await work(servers);
  } finally {
    await Promise.all(servers.map(({ server }) => server.stop()));
  }
}

interface Extent {
  readonly rounds: number;
  readonly seconds: number;
  readonly pinning: Pinning | undefined;
}

/** Runs each operation on all databases in turns. The round before the first is the warm-up. */
async function measure(
  servers: readonly Served[],
  operations: readonly Operation[],
  { rounds, seconds, pinning }: Extent,
): Promise<Partial<Record<Operation, Operated>>[]> {
  const operated = servers.map((): Partial<Record<Operation, Operated>> => ({}));
  for (const operation of operations) {
    const results = servers.map((): LoadResult[] => []);
    for (let round = 0; round <= rounds; round++) {
      for (const [at, served] of servers.entries()) {
        await served.server.settle();
        const run = runOf(served, operation, round === 0 ? 1 : seconds, pinning);
        const result = await runChecked(run, operation, served.database);
        if (round > 0) results[at]?.push(result);
      }
    }
    const smallest = results[0] ?? [];
    for (const [at, samples] of results.entries()) {
      const cost = samples.map(
        ({ requestsPerSecond }, round) =>
          (smallest[round]?.requestsPerSecond ?? Number.NaN) / requestsPerSecond,
      );
      const target = operated[at];
      if (!target) continue;
      target[operation] = {
        requestsPerSecond: spread(samples.map(({ requestsPerSecond }) => requestsPerSecond)),
        p99: spread(samples.map(({ p99 }) => p99 / 1_000)),
        cost: spread(cost),
        answerBytes: Math.round(samples[0]?.answerBytes ?? Number.NaN),
      };
    }
    console.log(`Measured: ${OPERATIONS[operation]}.`);
  }
  return operated;
}

function runOf(
  { database, origin }: Served,
  operation: Operation,
  seconds: number,
  pinning: Pinning | undefined,
): LoadRun {
  const { pets, key } = database;
  const middle = encodeCursor(BigInt(Math.floor(pets / 2)));
  const lists = {
    first: LIST,
    middle: `${LIST}&cursor=${middle}`,
    rare: `${LIST}&status=pending`,
    get: LIST,
    create: LIST,
  };
  return {
    load: operation === 'get' || operation === 'create' ? operation : 'list',
    contender: { list: lists[operation], prefix: '/v1' },
    ...{ origin, key, seconds, core: pinning?.client },
    connections: CONNECTIONS,
    highestId: pets,
  };
}

async function runChecked(
  run: LoadRun,
  operation: string,
  { pets }: Database,
): Promise<LoadResult> {
  return await runLoad(run).catch((error: Error) => {
    throw new BenchError(`The run is invalid: ${operation} with ${pets} pets: ${error.message}.`);
  });
}

async function measureMemory(
  servers: readonly Served[],
  seconds: number,
  pinning: Pinning | undefined,
): Promise<number[]> {
  const peaks: number[] = [];
  for (const served of servers) {
    const run = runOf(served, 'first', seconds, pinning);
    await runChecked(
      { ...run, load: 'mix', connections: MEMORY_CONNECTIONS },
      'the mix',
      served.database,
    );
    // Since the start of the process: the peak was never reset.
    peaks.push(served.server.peakMiB());
  }
  return peaks;
}

function print({ sizes }: Growth): void {
  const head = ['pets', 'start ms', 'peak MiB', 'file MiB', ...Object.values(OPERATIONS)];
  const operations = Object.keys(OPERATIONS) as Operation[];
  const rows = sizes.map(({ pets, startMs, peakMiB, fileMiB, operations: by }) => [
    whole(pets),
    ...[startMs.median, peakMiB].map(whole),
    precise(fileMiB),
    ...operations.map((name) => `${whole(by[name].requestsPerSecond.median)}/s`),
  ]);
  console.log(`\n${table(head, rows)}`);
}
