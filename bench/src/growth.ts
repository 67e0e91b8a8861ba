import { encodeCursor } from '../../apps/petstore/src/http/pages.ts';
import { type Database, fileMiB, seedPetstore } from './data.ts';
import { BenchError, ofRun } from './failure.ts';
import { type LoadResult, type LoadRun, runLoad } from './loads.ts';
import { stopServers } from './processes.ts';
import { OPERATIONS, type Operated, type Operation } from './results.ts';
import { inTurns, measurement } from './run.ts';
import { LIST, type Service, startService } from './service.ts';
import { ratioOf, type Spread, spread } from './statistics.ts';
import { whole } from './table.ts';

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

/** A list must be read from the database each time, or its cost would not depend on the size. */
const UNCACHED = { PETSTORE_PAGE_CACHE_BYTES: '0' };

interface Sized extends Database {
  readonly pets: number;
}

type Served = Service & Sized;

const DEFAULTS = { max: 10_000_000, rounds: 5, seconds: 2 };

await measurement('growth', HELP, DEFAULTS, async ({ max, rounds, seconds }, run) => {
  if (max < SMALLEST) throw new BenchError(`--max must be at least ${SMALLEST}.`);
  const { machine, folder } = run;
  const databases = sizes(max).map((pets) => seed(folder, pets));
  const files = databases.map(({ path }) => fileMiB(path));

  // Reads come first: creates change how many pets there are.
  const starts = await measureStarts(databases, rounds);
  console.log('Started.');
  const uncached = await startAll(databases, UNCACHED);
  const reads = await measure(uncached, ['first', 'middle', 'rare', 'get'], rounds, seconds);
  await stopServers();
  const servers = await startAll(databases);
  const peaks = await measureMemory(servers, rounds * seconds);
  const creates = await measure(servers, ['create'], rounds, seconds);

  return {
    machine,
    rounds,
    seconds,
    connections: CONNECTIONS,
    sizes: databases.map(({ pets }, at) => ({
      pets,
      fileMiB: files[at] ?? Number.NaN,
      startMs: starts[at] as Spread,
      peakMiB: peaks[at] ?? Number.NaN,
      operations: { ...reads[at], ...creates[at] } as Record<Operation, Operated>,
    })),
  };
});

/** 1,000, 10,000, … up to the largest. */
function sizes(max: number): number[] {
  const steps: number[] = [];
  for (let pets = SMALLEST; pets < max; pets *= 10) steps.push(pets);
  return [...steps, max];
}

function seed(folder: string, pets: number): Sized {
  const begun = performance.now();
  const database = seedPetstore(`${folder}/${pets}.db`, pets);
  console.log(
    `Seeded ${whole(pets)} pets in ${((performance.now() - begun) / 1_000).toFixed(1)} s`,
  );
  return { pets, ...database };
}

async function measureStarts(databases: readonly Sized[], rounds: number): Promise<Spread[]> {
  const times = databases.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, database] of databases.entries()) {
      const { server, startMs } = await startService(database);
      await server.stop();
      times[at]?.push(startMs);
    }
  }
  return times.map(spread);
}

/** Runs a server for each database, all at once, so that they can take turns. */
async function startAll(
  databases: readonly Sized[],
  settings?: Readonly<Record<string, string>>,
): Promise<Served[]> {
  const served: Served[] = [];
  for (const database of databases) {
    served.push({ ...database, ...(await startService(database, settings)) });
  }
  return served;
}

/** Runs each operation on all databases in turns. */
async function measure(
  servers: readonly Served[],
  operations: readonly Operation[],
  rounds: number,
  seconds: number,
): Promise<Partial<Record<Operation, Operated>>[]> {
  const operated = servers.map((): Partial<Record<Operation, Operated>> => ({}));
  for (const operation of operations) {
    const results = await inTurns(servers, rounds, async (served, isWarmUp) => {
      await served.server.settle();
      return await runChecked(runOf(served, operation, isWarmUp ? 1 : seconds), operation, served);
    });
    const smallest = results[0] ?? [];
    for (const [at, samples] of results.entries()) {
      const target = operated[at];
      if (!target) continue;
      target[operation] = {
        requestsPerSecond: spread(samples.map(({ requestsPerSecond }) => requestsPerSecond)),
        p99: spread(samples.map(({ p99 }) => p99 / 1_000)),
        cost: ratioOf('requestsPerSecond', smallest, samples),
        answerBytes: Math.round(samples[0]?.answerBytes ?? Number.NaN),
      };
    }
    console.log(`Measured: ${OPERATIONS[operation]}.`);
  }
  return operated;
}

function runOf({ pets, key, origin }: Served, operation: Operation, seconds: number): LoadRun {
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
    ...{ origin, key, seconds, connections: CONNECTIONS, highestId: pets },
  };
}

function runChecked(run: LoadRun, operation: string, { pets }: Sized): Promise<LoadResult> {
  return ofRun(`${operation} with ${pets} pets`, runLoad(run));
}

async function measureMemory(servers: readonly Served[], seconds: number): Promise<number[]> {
  const peaks: number[] = [];
  for (const served of servers) {
    const run = runOf(served, 'first', seconds);
    const mix = { ...run, load: 'mix', connections: MEMORY_CONNECTIONS } as const;
    await runChecked(mix, 'the mix', served);
    // Since the start of the process: the peak was never reset.
    peaks.push(served.server.peakMiB());
  }
  return peaks;
}
