import { parseArgs } from 'node:util';
import { createPetstoreFile, emptyFolder, petstoreCommand, SEEDED, seedPets } from './data.ts';
import { CONNECTIONS, LIST, listCost, type Service } from './list-cost.ts';
import { choosePinning, describeMachine, type Pinning } from './machine.ts';
import { publish } from './publish.ts';
import type { QuotaCost } from './quota-results.ts';
import { main, positive } from './run.ts';
import { startServer } from './service.ts';
import { type Spread, spread } from './statistics.ts';
import { precise, table } from './table.ts';

const HELP = `npm run bench:quota -- [options]

Measures what a quota for each key adds to the processor time of a list, in many short turns of
services with one and without. Writes bench/results/quota.json and the table of docs/performance.md.

  --rounds N     rounds; each starts both services anew (default 8)
  --pairs N      turns of each in a round (default 8)
  --seconds N    length of a turn (default 1)
  --data DIR     folder for the databases, on a disk (default bench/data)
  --help         show this
`;

const WARM_UP_SECONDS = 5;

const SETTINGS = { limited: {}, unlimited: { PETSTORE_RATE_LIMIT: '0' } };
type Name = keyof typeof SETTINGS;
/** Processor time of a list, in microseconds, at either, and the first to the second. */
interface Pair {
  readonly limited: number;
  readonly unlimited: number;
  readonly ratio: number;
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '8' },
      pairs: { type: 'string', default: '8' },
      seconds: { type: 'string', default: '1' },
      data: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const rounds = positive('--rounds', values.rounds);
  const pairs = positive('--pairs', values.pairs);
  const seconds = positive('--seconds', values.seconds);
  const { pinning } = choosePinning();
  const machine = describeMachine(pinning);
  const folder = emptyFolder('quota', values.data);
  const path = `${folder}/petstore.db`;
  const key = createPetstoreFile(path);
  seedPets(path, SEEDED);

  const measured: Pair[] = [];
  for (let round = 0; round < rounds; round++) {
    const taken = await measureRound({ path, key, pairs, seconds, pinning, round });
    // Two processes of the same program differ by a few percent for as long as they live; so a round is one figure.
    measured.push({
      limited: spread(taken.map(({ limited }) => limited)).median,
      unlimited: spread(taken.map(({ unlimited }) => unlimited)).median,
      ratio: spread(taken.map(({ ratio }) => ratio)).median,
    });
    console.log(`Round ${round + 1} of ${rounds}: ${measured.at(-1)?.ratio.toFixed(3)}`);
  }
  const cost: QuotaCost = {
    ...{ machine, rounds, pairs, seconds, connections: CONNECTIONS },
    limited: spread(measured.map(({ limited }) => limited)),
    unlimited: spread(measured.map(({ unlimited }) => unlimited)),
    ratio: spread(measured.map(({ ratio }) => ratio)),
  };
  print(cost);
  publish('quota', cost);
});

interface Round {
  readonly path: string;
  readonly key: string;
  readonly pairs: number;
  readonly seconds: number;
  readonly pinning: Pinning | undefined;
  readonly round: number;
}

async function measureRound({ path, key, pairs, seconds, pinning, round }: Round): Promise<Pair[]> {
  const services = new Map<Name, Service>();
  const turn = async (name: Name, length: number): Promise<number> => {
    const service = services.get(name);
    if (!service) throw new Error(`no ${name} service`);
    return listCost(service, length, pinning?.client);
  };
  // Whoever comes second may find the machine a little warmer, so they change places.
  const order = (isSwapped: boolean): Name[] =>
    isSwapped ? ['unlimited', 'limited'] : ['limited', 'unlimited'];
  try {
    for (const name of order(round % 2 === 1)) {
      const command = petstoreCommand(path, SETTINGS[name]);
      services.set(name, { key, ...(await startServer(command, LIST, key, pinning?.server)) });
      await turn(name, WARM_UP_SECONDS);
    }
    const taken: Pair[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const costs = { limited: 0, unlimited: 0 };
      for (const name of order(pair % 2 === 1)) costs[name] = await turn(name, seconds);
      taken.push({ ...costs, ratio: costs.limited / costs.unlimited });
    }
    return taken;
  } finally {
    await Promise.all([...services.values()].map(({ server }) => server.stop()));
  }
}

function print({ limited, unlimited, ratio }: QuotaCost): void {
  const row = (label: string, { median, min, max }: Spread) => [
    label,
    ...[median, min, max].map(precise),
  ];
  const rows = [
    row('CPU µs of a list, with a quota', limited),
    row('CPU µs of a list, without', unlimited),
    row('with, to without', ratio),
  ];
  console.log(`\n${table(['', 'median', 'least', 'most'], rows)}`);
}
