import { parseArgs } from 'node:util';
import { generateKey } from '../../apps/petstore/src/keys/key.ts';
import { createPetstoreFile, emptyFolder, petstoreCommand, SEEDED, seedPets } from './data.ts';
import { guess } from './guesser.ts';
import { runLoad } from './loads.ts';
import { choosePinning } from './machine.ts';
import { main, positive } from './run.ts';
import { startServer } from './service.ts';
import { precise, table, whole } from './table.ts';

const HELP = `npm run bench:guessing -- [options]

Sends requests with wrong keys, each with another one and every second well formed, as fast as the
service answers them, and shows what becomes of its memory and of requests with the right key.

  --guesses N    wrong keys in all (default 1000000)
  --data DIR     folder for the database, on a disk (default bench/data)
  --help         show this
`;

/** How often the right key's requests are measured, and how long each time. */
const SLICES = 10;
const LOAD_SECONDS = 2;
const CONNECTIONS = 32;
const LIST = '/v1/pets?limit=20';

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
  const path = `${emptyFolder('guessing', values.data)}/petstore.db`;
  const key = createPetstoreFile(path);
  seedPets(path, SEEDED);

  const { server, origin } = await startServer(petstoreCommand(path), LIST, key, pinning?.server);
  try {
    const right = () =>
      runLoad({
        load: 'list',
        contender: { list: LIST, prefix: '/v1' },
        ...{ origin, key, seconds: LOAD_SECONDS, connections: CONNECTIONS, core: pinning?.client },
      });
    await right();
    const rows: string[][] = [];
    const statuses = new Map<string, number>();
    const measure = async (guesses: number, guessesPerSecond: number) => {
      await server.settle();
      const cpuBefore = server.cpuMs();
      const { requests, requestsPerSecond, p99 } = await right();
      rows.push([
        whole(guesses),
        whole(guessesPerSecond),
        whole(requestsPerSecond),
        precise(((server.cpuMs() - cpuBefore) * 1_000) / requests),
        precise(p99 / 1_000),
        whole(server.residentMiB()),
      ]);
    };
    await measure(0, 0);
    for (let slice = 1; slice <= SLICES; slice++) {
      const begun = performance.now();
      const keys = (n: number) =>
        n % 2 ? generateKey('guess', 'production', new Date(0)).key : `pk_live_${slice}_${n}`;
      for (const [status, count] of await guess(Number(new URL(origin).port), perSlice, keys)) {
        statuses.set(status, (statuses.get(status) ?? 0) + count);
      }
      await measure(slice * perSlice, (perSlice * 1_000) / (performance.now() - begun));
      server.assertAlive();
    }
    const head = ['guesses', 'guesses/s', 'right req/s', 'CPU µs each', 'p99 ms', 'resident MiB'];
    console.log(`\n${table(head, rows)}`);
    console.log(`\n${[...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}`);
  } finally {
    await server.stop();
  }
});
