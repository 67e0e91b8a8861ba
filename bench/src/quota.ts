import { parseArgs } from 'node:util';
import { createPetstoreFile, emptyFolder, petstoreCommand, SEEDED, seedPets } from './data.ts';
import { measureUse } from './edge-runs.ts';
import { runLoad } from './loads.ts';
import { choosePinning, describeMachine } from './machine.ts';
import { publish } from './publish.ts';
import type { QuotaCost } from './quota-results.ts';
import { main, positive } from './run.ts';
import { type Running, startServer } from './service.ts';
import { type Spread, spread } from './statistics.ts';
import { precise, table } from './table.ts';

const HELP = `npm run bench:quota -- [options]

Measures what a quota for each key adds to the processor time of a list, in many short turns of a
service with one and of one without. Writes bench/results/quota.json and the table of
docs/performance.md.

  --pairs N      turns of each (default 40)
  --seconds N    length of a turn (default 1)
  --data DIR     folder for the databases, on a disk (default bench/data)
  --help         show this
`;

const CONNECTIONS = 32;
const WARM_UP_SECONDS = 8;
const LIST = '/v1/pets?limit=20';

const SETTINGS = { limited: {}, unlimited: { PETSTORE_RATE_LIMIT: '0' } };
type Name = keyof typeof SETTINGS;

await main(async () => {
  const { values } = parseArgs({
    options: {
      pairs: { type: 'string', default: '40' },
      seconds: { type: 'string', default: '1' },
      data: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const pairs = positive('--pairs', values.pairs);
  const seconds = positive('--seconds', values.seconds);
  const { pinning } = choosePinning();
  const machine = describeMachine(pinning);
  const folder = emptyFolder('quota', values.data);

  const services: (Running & { name: Name; key: string })[] = [];
  try {
    for (const name of ['limited', 'unlimited'] as const) {
      const path = `${folder}/${name}.db`;
      const key = createPetstoreFile(path);
      seedPets(path, SEEDED);
      const command = petstoreCommand(path, SETTINGS[name]);
      services.push({ name, key, ...(await startServer(command, LIST, key, pinning?.server)) });
    }
    /** Processor time of a list, in microseconds. */
    const turn = async (name: Name, length: number): Promise<number> => {
      const service = services.find((one) => one.name === name);
      if (!service) throw new Error(`no ${name} service`);
      const { server, origin, key } = service;
      const load = {
        load: 'list',
        contender: { list: LIST, prefix: '/v1' },
        seconds: length,
      } as const;
      const where = { origin, key, connections: CONNECTIONS, core: pinning?.client };
      const { result, cpuMs } = await measureUse(server, () => runLoad({ ...load, ...where }));
      return (cpuMs * 1_000) / result.requests;
    };
    for (const { name } of services) await turn(name, WARM_UP_SECONDS);

    const costs: Record<Name, number[]> = { limited: [], unlimited: [] };
    const ratios: number[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      // Whoever comes second may find the machine a little warmer, so they change places.
      const order: Name[] = pair % 2 ? ['unlimited', 'limited'] : ['limited', 'unlimited'];
      const taken = { limited: 0, unlimited: 0 };
      for (const name of order) taken[name] = await turn(name, seconds);
      costs.limited.push(taken.limited);
      costs.unlimited.push(taken.unlimited);
      ratios.push(taken.limited / taken.unlimited);
    }
    const cost: QuotaCost = {
      ...{ machine, pairs, seconds, connections: CONNECTIONS },
      limited: spread(costs.limited),
      unlimited: spread(costs.unlimited),
      ratio: spread(ratios),
    };
    const row = (label: string, { min, median, max }: Spread) => [
      label,
      ...[median, min, max].map(precise),
    ];
    console.log(
      table(
        ['', 'median', 'least', 'most'],
        [
          row('CPU µs of a list, with a quota', cost.limited),
          row('CPU µs of a list, without', cost.unlimited),
          row('with, to without', cost.ratio),
        ],
      ),
    );
    publish('quota', cost);
  } finally {
    await Promise.all(services.map(({ server }) => server.stop()));
  }
});
