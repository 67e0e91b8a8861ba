import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ownerToken,
  type RunningDashboard,
  serveDashboard,
} from '../../apps/dashboard/test/support/dashboard-program.ts';
import type { Ending } from '../../packages/test-support/src/endings.ts';
import { startProgram } from '../../packages/test-support/src/program.ts';
import { emptyFolder } from './data.ts';
import { freePort, runClient } from './processes.ts';
import { main, readOptions } from './run.ts';

const HELP = `npm run bench:dns-flood -- [options]

Starts \`dashboard serve\` with a zone of its own and a site, and measures the site over HTTP: alone, beside a program
that sends queries for random names to nobody, and while it sends them to the zone. Sender, client and dashboard share
the machine, so the second is what to compare with.

  --rate N       queries a second (default 20000)
  --seconds N    of each measurement (default 20)
  --data DIR     folder for the database (default bench/data)
  --help         show this
`;

const ZONE = 'acme.docs.example.com';
const SITE = 'pets.docs.example.com';
const SENDER = join(import.meta.dirname, 'dns-flood/sender.ts');

/** Requests a second of the client that measures how long a response takes: far from what the edge can do. */
const PACE = 200;

await main(async () => {
  const { rate, seconds, data } = readOptions(HELP, { rate: 20_000, seconds: 20 }, ['data']);
  const folder = emptyFolder('dns-flood', data);
  const ends: (() => Promise<void>)[] = [];
  const whole: Ending = { after: (work) => void ends.push(work) };
  try {
    const port = await freePort();
    const dashboard = await serveDashboard(whole, folder, {
      ...{ DNS_ZONE: ZONE, DNS_PORT: `${port}`, DASHBOARD_PLATFORM_HOST: 'docs.example.com' },
      ACME_DIRECTORY_URL: 'https://127.0.0.1:9/directory',
    });
    await publishSite(dashboard, folder);
    await live(dashboard.edgePort);
    const sink = createSocket('udp4').bind(0, '127.0.0.1');
    await once(sink, 'listening');
    for (const [name, to] of [
      ['no queries', undefined],
      [`${rate} queries a second to nobody`, sink.address().port],
      [`${rate} queries a second to the zone`, port],
    ] as const) {
      const flood: (() => Promise<void>)[] = [];
      if (to !== undefined) {
        const ending: Ending = { after: (work) => void flood.push(work) };
        startProgram(ending, process.execPath, [SENDER, `${to}`, ZONE, `${rate}`], folder);
        await sleep(1_000);
      }
      const times = await paced(dashboard.edgePort, seconds / 2);
      const perSecond = await throughput(dashboard.edgePort, Math.round(seconds / 2));
      for (const end of flood) await end();
      const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
      console.log(
        `${name}: median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms, at ${PACE} a second; ${perSecond} requests a second at most`,
      );
    }
    sink.close();
  } finally {
    for (const end of ends.reverse()) await end();
  }
});

async function publishSite({ url }: RunningDashboard, folder: string): Promise<void> {
  const token = await ownerToken(folder);
  const call = async (path: string, body: object) => {
    const response = await fetch(`${url}/api${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  };
  await call('/projects', { name: 'Pets', slug: 'pets' });
  const document = { openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths: {} };
  await call('/projects/pets/deploys', document);
}

/** Waits until the deploy is live. */
async function live(port: number): Promise<void> {
  const agent = new Agent();
  for (let tries = 0; ; tries++) {
    const isLive = await ask(port, agent).then(
      () => true,
      () => false,
    );
    if (isLive) return;
    if (tries === 100) throw new Error('The site did not become live.');
    await sleep(200);
  }
}

/** How long each response takes, in milliseconds, sorted. */
async function paced(port: number, seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  const asked: Promise<void>[] = [];
  for (let i = 0; i < PACE * seconds; i++) {
    asked.push(ask(port, agent).then((ms) => void times.push(ms)));
    await sleep(1_000 / PACE);
  }
  await Promise.all(asked);
  agent.destroy();
  return times.sort((a, b) => a - b);
}

async function ask(port: number, agent: Agent): Promise<number> {
  const from = performance.now();
  const sent = get({ agent, host: '127.0.0.1', port, headers: { host: SITE } });
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`The site answers with ${response.statusCode}.`);
  return performance.now() - from;
}

async function throughput(port: number, seconds: number): Promise<number> {
  const { out } = await runClient('wrk', [
    ...['--threads', '1', '--connections', '20', '--duration', `${seconds}s`],
    ...['--header', `Host: ${SITE}`, `http://127.0.0.1:${port}/`],
  ]);
  if (/Non-2xx|Socket errors/.test(out)) throw new Error(out);
  return Math.round(Number(/Requests\/sec:\s+([\d.]+)/.exec(out)?.[1]));
}
