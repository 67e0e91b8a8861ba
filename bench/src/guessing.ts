import { generateKey } from '../../apps/petstore/src/keys/key.ts';
import { SEEDED, seedPetstore } from './data.ts';
import { guess } from './guesser.ts';
import { CONNECTIONS, listCost, listCosts } from './list-cost.ts';
import type { GuessingSlice } from './results.ts';
import { measurement } from './run.ts';
import { startService } from './service.ts';
import { spreadsOf } from './statistics.ts';
import { whole } from './table.ts';

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

const DEFAULTS = { guesses: 1_000_000 };

await measurement('guessing', HELP, DEFAULTS, async (options, { machine, folder }) => {
  const perSlice = Math.ceil(options.guesses / SLICES);
  const start = (name: string) => startService(seedPetstore(`${folder}/${name}.db`, SEEDED));
  const guessed = await start('guessed');
  const quiet = await start('quiet');
  for (const service of [guessed, quiet]) await listCost(service, WARM_UP_SECONDS);

  const turns = { pairs: PAIRS, seconds: LOAD_SECONDS };
  const measure = async (guesses: number): Promise<GuessingSlice> => {
    const { cost, ratio } = spreadsOf(await listCosts(guessed, quiet, turns));
    return {
      guesses,
      cpuUs: cost.median,
      ratio,
      residentMiB: guessed.server.residentMiB(),
      quietResidentMiB: quiet.server.residentMiB(),
    };
  };
  const slices = [await measure(0)];
  const statuses: Record<string, number> = {};
  for (let slice = 1; slice <= SLICES; slice++) {
    const keys = (n: number) =>
      n % 2 ? generateKey('guess', 'production', new Date(0)).key : `pk_live_${slice}_${n}`;
    for (const [status, count] of await guess(guessed.port, perSlice, keys)) {
      statuses[status] = (statuses[status] ?? 0) + count;
    }
    slices.push(await measure(slice * perSlice));
    console.log(`${whole(slice * perSlice)} guesses`);
  }
  const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${whole(count)}`);
  console.log(`\n${counts.join(', ')}`);
  return { machine, connections: CONNECTIONS, ...turns, slices, statuses };
});
