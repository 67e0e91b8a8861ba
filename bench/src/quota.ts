import { type Database, SEEDED, seedPetstore } from './data.ts';
import { CONNECTIONS, listCost, listCosts } from './list-cost.ts';
import { stopServers } from './processes.ts';
import { measurement } from './run.ts';
import { type Service, startService } from './service.ts';
import { spreadsOf } from './statistics.ts';

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

const DEFAULTS = { rounds: 8, pairs: 8, seconds: 1 };

await measurement('quota', HELP, DEFAULTS, async (options, { machine, folder }) => {
  const database = seedPetstore(`${folder}/petstore.db`, SEEDED);
  const measured = [];
  for (let round = 0; round < options.rounds; round++) {
    const { limited, unlimited } = await startBoth(database, round % 2 === 1);
    const taken = await listCosts(limited, unlimited, options);
    await stopServers();
    // Two processes of the same program differ by a few percent for as long as they live; so a round is one figure.
    const { cost, other, ratio } = spreadsOf(taken);
    measured.push({ limited: cost.median, unlimited: other.median, ratio: ratio.median });
    console.log(`Round ${round + 1} of ${options.rounds}: ${ratio.median.toFixed(3)}`);
  }
  const { rounds, pairs, seconds } = options;
  return {
    ...{ machine, rounds, pairs, seconds, connections: CONNECTIONS },
    ...spreadsOf(measured),
  };
});

/** Starts both services, one of them and then the other, and warms each up. */
async function startBoth(database: Database, isSwapped: boolean) {
  const start = async (name: keyof typeof SETTINGS): Promise<Service> => {
    const service = await startService(database, SETTINGS[name]);
    await listCost(service, WARM_UP_SECONDS);
    return service;
  };
  const before = isSwapped ? await start('unlimited') : undefined;
  const limited = await start('limited');
  return { limited, unlimited: before ?? (await start('unlimited')) };
}
