import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { emptyFolder, SEEDED, seedPetstore } from './data.ts';
import { CONNECTIONS } from './list-cost.ts';
import { runLoad } from './loads.ts';
import { describeMachine, pinCores } from './machine.ts';
import { main, readOptions } from './run.ts';
import { LIST, type Service, startService } from './service.ts';
import { spread } from './statistics.ts';

const HELP = `npm run bench:events -- [options]

Measures what webhooks cost: lists beside creates without webhooks, and beside the same creates with them; how many
deliveries there are a second, and how far they are behind when the load ends. Shown, and not written.

  --rounds N     turns of each (default 5)
  --seconds N    length of a turn (default 4)
  --webhooks N   how many (default 100)
  --events N     creates a second (default 1000)
  --data DIR     folder for the databases, on a disk (default bench/data)
  --help         show this
`;

const SETTINGS = {
  PETSTORE_WEBHOOK_PRIVATE_ADDRESSES: 'allow',
  PETSTORE_MAX_WEBHOOKS: '10000',
};

/** Creates are sent in bursts this far apart, in milliseconds. */
const BURST_MS = 20;

await main(async () => {
  const counts = { rounds: 5, seconds: 4, webhooks: 100, events: 1_000 };
  const options = readOptions(HELP, counts, ['data']);
  console.log(pinCores());
  const machine = describeMachine();
  console.log(`${machine.cpu}, ${machine.cores} cores; Node ${machine.node}; ${machine.wrk}`);
  const folder = emptyFolder('events', options.data);
  const plain = await startService(seedPetstore(`${folder}/plain.db`, SEEDED), SETTINGS);
  const telling = await startService(seedPetstore(`${folder}/telling.db`, SEEDED), SETTINGS);
  const receiver = fork(new URL('./events-receiver.ts', import.meta.url), { stdio: 'inherit' });
  const [{ port }] = (await once(receiver, 'message')) as [{ port: number }];
  for (let made = 0; made < options.webhooks; made++) {
    await post(telling, '/webhooks', { url: `http://127.0.0.1:${port}/${made}` });
  }
  const received = async () => {
    receiver.send('count');
    const [{ count }] = (await once(receiver, 'message')) as [{ count: number }];
    return count;
  };
  const ratios: number[] = [];
  const rates: number[] = [];
  try {
    for (let round = 0; round <= options.rounds; round++) {
      const without = await beside(plain, options);
      const before = await received();
      const begunAt = performance.now();
      const costs = await beside(telling, options);
      const rate = ((await received()) - before) / ((performance.now() - begunAt) / 1_000);
      // The first is the warm-up.
      if (round === 0) continue;
      ratios.push(costs.listsPerSecond / without.listsPerSecond);
      rates.push(rate);
      console.log(
        `Round ${round}: ${Math.round(without.listsPerSecond)} lists a second without, ${Math.round(costs.listsPerSecond)} with webhooks (${(costs.listsPerSecond / without.listsPerSecond).toFixed(3)}); ${Math.round(costs.createsPerSecond)} creates, ${Math.round(rate)} deliveries a second`,
      );
    }
    const wanted = options.webhooks * options.events;
    console.log(
      `Lists with webhooks to without: ${spread(ratios).median.toFixed(3)}. Deliveries: ${Math.round(spread(rates).median)} a second; ${wanted} would be all at once.`,
    );
  } finally {
    receiver.kill();
  }
});

/** Lists of a service while animals are created at a steady pace. */
async function beside(service: Service, { seconds, events }: { seconds: number; events: number }) {
  let isOver = false;
  let creates = 0;
  const begunAt = performance.now();
  const creating = (async () => {
    while (!isOver) {
      const due = Math.floor(((performance.now() - begunAt) / 1_000) * events) - creates;
      const sent = Array.from({ length: due }, () =>
        post(service, '/pets', { name: 'Rex', categoryId: 1 }),
      );
      creates += due;
      await Promise.all(sent);
      await sleep(BURST_MS);
    }
  })();
  const { origin, key } = service;
  const contender = { list: LIST, prefix: '/v1' };
  const { requestsPerSecond } = await runLoad({
    ...{ load: 'list', contender, origin, key, connections: CONNECTIONS, seconds },
  });
  isOver = true;
  await creating;
  return {
    listsPerSecond: requestsPerSecond,
    createsPerSecond: creates / ((performance.now() - begunAt) / 1_000),
  };
}

async function post({ origin, key }: Service, path: string, body: object): Promise<void> {
  const response = await fetch(`${origin}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`POST ${path}: ${await response.text()}`);
  await response.bytes();
}
