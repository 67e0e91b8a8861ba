import { countPets, fileMiB, SEEDED, seedPetstore } from './data.ts';
import { ofRun } from './failure.ts';
import { runLoad } from './loads.ts';
import type { SoakSlice } from './results.ts';
import { measurement } from './run.ts';
import { LIST, startService } from './service.ts';

const HELP = `npm run bench:soak -- [options]

Runs nine lists to one create for ten minutes and compares memory and latency at the end with those
at the start. Writes bench/results/soak.json and the table of docs/performance.md.

  --minutes N    how long (default 10)
  --data DIR     folder for the database, on a disk (default bench/data)
  --help         show this
`;

const CONNECTIONS = 64;
const SLICE_SECONDS = 10;
const WARM_UP_SECONDS = 5;

await measurement('soak', HELP, { minutes: 10 }, async ({ minutes }, { machine, folder }) => {
  const database = seedPetstore(`${folder}/petstore.db`, SEEDED);
  const { server, origin, key, path } = await startService(database);
  const slices: SoakSlice[] = [];
  const run = async (seconds: number): Promise<SoakSlice> => {
    const contender = { list: LIST, prefix: '/v1' };
    const load = {
      load: 'mix',
      contender,
      origin,
      key,
      seconds,
      connections: CONNECTIONS,
    } as const;
    const result = await ofRun(`after ${slices.length} slices`, runLoad(load));
    return {
      requestsPerSecond: result.requestsPerSecond,
      readsP99: (result.reads?.p99 ?? Number.NaN) / 1_000,
      residentMiB: server.residentMiB(),
    };
  };
  await run(WARM_UP_SECONDS);
  const count = (minutes * 60) / SLICE_SECONDS;
  while (slices.length < count) {
    slices.push(await run(SLICE_SECONDS));
    if (slices.length % 6 === 0) console.log(`${slices.length / 6} of ${minutes} minutes`);
  }
  return {
    machine,
    minutes,
    connections: CONNECTIONS,
    sliceSeconds: SLICE_SECONDS,
    slices,
    petsBefore: SEEDED,
    petsAfter: countPets(path),
    fileMiBAfter: fileMiB(path),
  };
});
