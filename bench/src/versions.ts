import { resolve } from 'node:path';
import { emptyFolder, PETSTORE, petstoreCommand, seedPetstore } from './data.ts';
import { BenchError } from './failure.ts';
import { runLoad } from './loads.ts';
import { pinCores } from './machine.ts';
import { stopServers } from './processes.ts';
import { main, readOptions } from './run.ts';
import { isGood, LIST, type Running, startServer } from './service.ts';
import { percentile } from './statistics.ts';

const HELP = `npm run bench:versions -- --before DIR [options]

Compares this version with another one, checked out and installed in a folder: the requests a second of each load of the
comparison, and the processor time that each request takes, in short turns that follow each other. Prints the ratios.
The second tells more where other work on the machine disturbs the turns.

  --before DIR   the folder of the other version
  --pets N       pets in each database (default 100000)
  --rounds N     rounds; each starts both services anew (default 3)
  --pairs N      turns of each load in a round (default 5)
  --seconds N    length of a turn (default 2)
  --loads LIST   the loads with these words in their names, with commas between (default all)
  --data DIR     folder for the databases, on a disk (default bench/data)
  --help         show this
`;

const LOADS = [
  { name: 'list, unchanged', load: 'list', connections: 32, settings: {} },
  {
    name: 'list, page cache off',
    load: 'list',
    connections: 32,
    settings: { PETSTORE_PAGE_CACHE_BYTES: '0' },
  },
  { name: 'get one by id', load: 'get', connections: 32, settings: {} },
  { name: 'create', load: 'create', connections: 64, settings: {} },
  { name: 'mix', load: 'mix', connections: 64, settings: {} },
] as const;

/** What a load came to, or its ratio to that of the other version. */
interface Turn {
  readonly rate: number;
  /** Processor time of a request. */
  readonly cost: number;
}

await main(async () => {
  const DEFAULTS = { pets: 100_000, rounds: 3, pairs: 5, seconds: 2 };
  const { pets, rounds, pairs, seconds, ...texts } = readOptions(HELP, DEFAULTS, [
    'before',
    'data',
    'loads',
  ]);
  const wanted = texts.loads?.split(',') ?? [''];
  const loads = LOADS.filter(({ name }) => wanted.some((word) => name.includes(word)));
  if (loads.length === 0) throw new BenchError('No load has one of these words in its name.');
  if (texts.before === undefined)
    throw new BenchError('Name the folder of the other version with --before.');
  const otherProgram = resolve(texts.before, 'apps/petstore/bin/petstore.js');
  pinCores();
  const folder = emptyFolder('versions', texts.data);
  const ratios = loads.map((): Turn[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { name, load, connections, settings }] of loads.entries()) {
      const start = async (program: string, version: string) => {
        const { path, key } = seedPetstore(
          `${folder}/${round}-${index}-${version}.db`,
          pets,
          program,
        );
        const command = petstoreCommand(path, settings);
        const own = (port: number) => {
          const { args, ...rest } = command(port);
          return { ...rest, args: args.map((arg) => (arg === PETSTORE ? program : arg)) };
        };
        return { ...(await startServer(own, isGood(LIST, key))), key };
      };
      const isSwapped = round % 2 === 1;
      const early = isSwapped ? await start(otherProgram, 'before') : undefined;
      const after = await start(PETSTORE, 'after');
      const before = early ?? (await start(otherProgram, 'before'));
      const turn = async (of: Running & { key: string }, length = seconds): Promise<Turn> => {
        const contender = { list: LIST, prefix: '/v1' };
        const { origin, key } = of;
        const run = { load, contender, origin, key, connections, seconds: length, highestId: pets };
        const { result, cpuMs } = await of.server.use(() => runLoad(run));
        return { rate: result.requestsPerSecond, cost: cpuMs / result.requests };
      };
      await turn(before, 3);
      await turn(after, 3);
      const turns: Turn[] = [];
      for (let pair = 0; pair < pairs; pair++) {
        const first = pair % 2 ? await turn(before) : undefined;
        const own = await turn(after);
        const other = first ?? (await turn(before));
        turns.push({ rate: own.rate / other.rate, cost: own.cost / other.cost });
      }
      await stopServers();
      ratios[index]?.push(...turns);
      console.log(`Round ${round + 1}: ${name}: ${describe(turns)}`);
    }
  }
  for (const [index, { name }] of loads.entries()) {
    console.log(`${name}: ${describe(ratios[index] ?? [])}`);
  }
});

/** The medians of turns, with the middle half of them. */
function describe(turns: readonly Turn[]): string {
  const of = (figure: keyof Turn) => {
    const values = turns.map((turn) => turn[figure]);
    const [low, median, high] = [0.25, 0.5, 0.75].map((part) =>
      percentile(values, part).toFixed(3),
    );
    return `${median} (${low} to ${high})`;
  };
  return `requests a second ${of('rate')}, processor time ${of('cost')} of before`;
}
