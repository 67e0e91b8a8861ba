import { parseArgs } from 'node:util';
import { generateKey } from '../../apps/petstore/src/keys/key.ts';
import { createPetstoreFile, emptyFolder, petstoreCommand, SEEDED, seedPets } from './data.ts';
import { guess } from './guesser.ts';
import type { Guessing, GuessingSlice } from './guessing-results.ts';
import { CONNECTIONS, LIST, listCost, type Service } from './list-cost.ts';
import { choosePinning, describeMachine } from './machine.ts';
import { publish } from './publish.ts';
import { main, positive } from './run.ts';
import { startServer } from './service.ts';
import { spread } from './statistics.ts';
import { precise, table, whole } from './table.ts';

const HELP = `npm run bench:guessing -- [options]

Sends requests with wrong keys, each with another one and every second well formed, as fast as the
service answers them, and compares its memory and its requests with the right key to those of a
service that nobody guesses at. Writes bench/results/guessing.json and the table of
docs/performance.md.

  --guesses N    wrong keys in all (default 1000000)
  --data DIR     folder for the databases, on a disk (default bench/data)
  --help         show this
`;

/** How often the right key's requests are measured; how often each time, at either service, and how long. */
const SLICES = 10;
const PAIRS = 4;
const LOAD_SECONDS = 1;
const WARM_UP_SECONDS = 8;

await main(async () => {
  const { values } = parseArgs({
    options: {
      guesses: { type: 'string', default: '1000000' },
      data: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const perSlice = Math.ceil(positive('--guesses', values.guesses) / SLICES);
  const { pinning } = choosePinning();
  const machine = describeMachine(pinning);
  const folder = emptyFolder('guessing', values.data);

  const started: Service[] = [];
  const start = async (name: string): Promise<Service> => {
    const path = `${folder}/${name}.db`;
    const key = createPetstoreFile(path);
    seedPets(path, SEEDED);
    const running = await startServer(petstoreCommand(path), LIST, key, pinning?.server);
    const service = { key, ...running };
    started.push(service);
    return service;
  };
  const turn = (service: Service, seconds: number) => listCost(service, seconds, pinning?.client);

  try {
    const guessed = await start('guessed');
    const quiet = await start('quiet');
    for (const service of started) await turn(service, WARM_UP_SECONDS);

    const measure = async (guesses: number): Promise<GuessingSlice> => {
      const costs: number[] = [];
      const ratios: number[] = [];
      for (let pair = 0; pair < PAIRS; pair++) {
        // Whoever comes second may find the machine a little warmer, so they change places.
        const quietFirst = pair % 2 ? await turn(quiet, LOAD_SECONDS) : undefined;
        const cost = await turn(guessed, LOAD_SECONDS);
        costs.push(cost);
        ratios.push(cost / (quietFirst ?? (await turn(quiet, LOAD_SECONDS))));
      }
      return {
        guesses,
        cpuUs: spread(costs).median,
        ratio: spread(ratios),
        residentMiB: guessed.server.residentMiB(),
        quietResidentMiB: quiet.server.residentMiB(),
      };
    };
    const slices = [await measure(0)];
    const statuses: Record<string, number> = {};
    for (let slice = 1; slice <= SLICES; slice++) {
      const keys = (n: number) =>
        n % 2 ? generateKey('guess', 'production', new Date(0)).key : `pk_live_${slice}_${n}`;
      const port = Number(new URL(guessed.origin).port);
      for (const [status, count] of await guess(port, perSlice, keys)) {
        statuses[status] = (statuses[status] ?? 0) + count;
      }
      slices.push(await measure(slice * perSlice));
      console.log(`${whole(slice * perSlice)} guesses`);
    }
    const guessing: Guessing = {
      ...{
        machine,
        connections: CONNECTIONS,
        pairs: PAIRS,
        seconds: LOAD_SECONDS,
        slices,
        statuses,
      },
    };
    print(guessing);
    publish('guessing', guessing);
  } finally {
    await Promise.all(started.map(({ server }) => server.stop()));
  }
});

function print({ slices, statuses }: Guessing): void {
  const head = ['guesses', 'CPU µs', 'to the quiet one', 'resident MiB', 'quiet MiB'];
  const rows = slices.map(({ guesses, cpuUs, ratio, residentMiB, quietResidentMiB }) => [
    whole(guesses),
    precise(cpuUs),
    ratio.median.toFixed(3),
    whole(residentMiB),
    whole(quietResidentMiB),
  ]);
  const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${whole(count)}`);
  console.log(`\n${table(head, rows)}\n\n${counts.join(', ')}`);
}
