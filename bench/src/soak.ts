import { parseArgs } from 'node:util';
import {
  countPets,
  createPetstoreFile,
  emptyFolder,
  fileMiB,
  petstoreCommand,
  SEEDED,
  seedPets,
} from './data.ts';
import { BenchError } from './failure.ts';
import { runLoad } from './loads.ts';
import { choosePinning, describeMachine } from './machine.ts';
import { publish } from './publish.ts';
import { main, positive } from './run.ts';
import { startServer } from './service.ts';
import { ends, type Slice, type Soak } from './soak-results.ts';
import { precise, table, whole } from './table.ts';

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
const LIST = '/v1/pets?limit=20';

await main(async () => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      data: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const minutes = positive('--minutes', values.minutes);
  const { pinning } = choosePinning();
  const machine = describeMachine(pinning);
  const path = `${emptyFolder('soak', values.data)}/petstore.db`;
  const key = createPetstoreFile(path);
  seedPets(path, SEEDED);

  const command = petstoreCommand(path);
  const { server, origin } = await startServer(command, LIST, key, pinning?.server);
  const slices: Slice[] = [];
  try {
    const run = async (seconds: number): Promise<Slice> => {
      const result = await runLoad({
        load: 'mix',
        contender: { list: LIST, prefix: '/v1' },
        ...{ origin, key, seconds, connections: CONNECTIONS, core: pinning?.client },
      }).catch((error: Error) => {
        throw new BenchError(`The run is invalid after ${slices.length} slices: ${error.message}.`);
      });
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
    const soak: Soak = {
      machine,
      minutes,
      connections: CONNECTIONS,
      sliceSeconds: SLICE_SECONDS,
      slices,
      petsBefore: SEEDED,
      petsAfter: countPets(path),
      fileMiBAfter: fileMiB(path),
    };
    print(soak);
    publish('soak', soak);
  } finally {
    await server.stop();
  }
});

function print(soak: Soak): void {
  const rows = Object.entries(ends(soak)).map(([when, slice]) => [
    when,
    whole(slice.requestsPerSecond),
    precise(slice.readsP99),
    whole(slice.residentMiB),
  ]);
  console.log(`\n${table(['', 'req/s', 'p99 of lists, ms', 'resident MiB'], rows)}`);
}
