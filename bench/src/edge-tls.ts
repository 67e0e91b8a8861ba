import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { authority } from '../../apps/dashboard/test/edge/support/certificates.ts';
import { emptyFolder } from './data.ts';
import { PAGE_BYTES, writePages } from './edge-data.ts';
import {
  CONNECTIONS,
  inTurns,
  measureUse,
  ratioOf,
  SERVERS,
  type ServerName,
  spreadsOf,
  WARM_UP_SECONDS,
} from './edge-runs.ts';
import {
  CROWDS,
  type Crowd,
  type EdgeTlsComparison,
  TLS_LOADS,
  type TlsLoad,
  type TlsServed,
} from './edge-tls-results.ts';
import { BenchError } from './failure.ts';
import { h2load, hasH2load } from './h2load.ts';
import { choosePinning, describeMachine, type Pinning } from './machine.ts';
import { findNginx, nginxCommand, type TlsFiles } from './nginx.ts';
import { BENCH } from './paths.ts';
import { type Command, freePort, ServerProcess, start } from './processes.ts';
import { publish } from './publish.ts';
import { main, positive } from './run.ts';
import { precise, table, whole } from './table.ts';
import { failures, wrk } from './wrk.ts';

const HELP = `npm run bench:edge-tls -- [options]

Measures the edge over TLS beside nginx, in turns, on the same page, and its handshakes with many hosts: one
core for the server, one for the client. Writes bench/results/edge-tls.json and the tables of
docs/performance.md. Needs nginx; with h2load (nghttp2-client) HTTP/2 is measured as well.

  --rounds N       rounds (default 5)
  --seconds N      length of each load in each round (default 5)
  --handshakes N   handshakes of each crowd in each of their rounds, four times as many (default 2000)
  --data DIR       folder for the page (default bench/data)
  --help           show this
`;

const START_TIMEOUT_MS = 60_000;
const MANY = 100_000;

const CROWD_HOSTS: Record<Crowd, string> = {
  few: 'first 10',
  inUse: 'spread 1000',
  any: `any ${MANY}`,
};

interface Participant {
  readonly server: ServerProcess;
  readonly port: number;
}

const FIGURES = ['perSecond', 'cpuUs', 'peakMiB'] as const;

type Sample = Record<(typeof FIGURES)[number], number>;

await main(async () => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '5' },
      handshakes: { type: 'string', default: '2000' },
      data: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const rounds = positive('--rounds', values.rounds);
  const seconds = positive('--seconds', values.seconds);
  const handshakes = positive('--handshakes', values.handshakes);
  const nginx = findNginx();
  const { pinning } = choosePinning();
  const machine = describeMachine(pinning);
  const folder = emptyFolder('edge-tls', values.data);
  const [sites, own] = [`${folder}/sites`, `${folder}/nginx`];
  mkdirSync(own);
  writePages(sites, ['localhost']);
  const tls = await writeCertificate(folder);

  const servers: Participant[] = [];
  const join = async (command: (port: number) => Command) => {
    const participant = await startServer(command, pinning);
    servers.push(participant);
    return participant;
  };
  try {
    const both = {
      nginx: await join(nginxCommand(nginx, sites, own, tls)),
      edge: await join(await edgeCommand(sites, tls, 0)),
    };
    const loads: Partial<Record<TlsLoad, Record<ServerName, TlsServed>>> = {};
    for (const load of Object.keys(TLS_LOADS) as TlsLoad[]) {
      if (load === 'http2' && !hasH2load()) continue;
      loads[load] = await compare(both, load, { rounds, seconds, pinning });
      console.log(`Measured: ${TLS_LOADS[load]}.`);
    }
    const crowded: Record<Crowd, Participant> = {
      few: await join(await edgeCommand(sites, tls, 10)),
      inUse: await join(await edgeCommand(sites, tls, MANY)),
      any: await join(await edgeCommand(sites, tls, MANY)),
    };
    const crowds = await compareCrowds(crowded, {
      rounds: 4 * rounds,
      handshakes,
      pinning,
    });
    const extent = { rounds, seconds, connections: CONNECTIONS };
    const results: EdgeTlsComparison = { machine, nginx: nginx.version, ...extent, loads, crowds };
    print(results);
    publish('edge-tls', results);
  } finally {
    await Promise.all(servers.map(({ server }) => server.stop()));
  }
});

async function writeCertificate(folder: string): Promise<TlsFiles> {
  const files = { chain: `${folder}/chain.pem`, key: `${folder}/key.pem` };
  const { chain, key } = await authority.issue('localhost');
  writeFileSync(files.chain, chain);
  writeFileSync(files.key, key, { mode: 0o600 });
  return files;
}

async function edgeCommand(
  sites: string,
  { chain, key }: TlsFiles,
  hosts: number,
): Promise<(port: number) => Command> {
  const plainPort = await freePort();
  return (port) => ({
    args: [`${BENCH}src/edge-process.ts`],
    env: {
      ...{ BENCH_PORT: String(plainPort), BENCH_DATA: sites, BENCH_TLS_PORT: String(port) },
      ...{ BENCH_CHAIN: chain, BENCH_KEY: key, BENCH_TLS_HOSTS: String(hosts) },
    },
  });
}

/** Starts a server and sees that it answers as it should. */
async function startServer(
  command: (port: number) => Command,
  pinning: Pinning | undefined,
): Promise<Participant> {
  const port = await freePort();
  const server = new ServerProcess(command(port), pinning?.server);
  const url = `https://localhost:${port}/page`;
  const deadline = performance.now() + START_TIMEOUT_MS;
  let page = '';
  while (page === '' && performance.now() < deadline) {
    server.assertAlive();
    const child = start('curl', ['--silent', '--insecure', url], {}, pinning?.client);
    if (child.stdout) page = await text(child.stdout);
    await sleep(20);
  }
  assert.equal(page.length, PAGE_BYTES, `${url} does not answer with the page`);
  return { server, port };
}

/** A load on both in turns. */
async function compare(
  servers: Record<ServerName, Participant>,
  load: TlsLoad,
  { rounds, seconds, pinning }: { rounds: number; seconds: number; pinning: Pinning | undefined },
): Promise<Record<ServerName, TlsServed>> {
  const samples = await inTurns(SERVERS, rounds, (name, isWarmUp) => {
    const url = `https://localhost:${servers[name].port}/page`;
    const length = isWarmUp ? WARM_UP_SECONDS : seconds;
    return measure(servers[name], () => run(load, url, length, pinning?.client));
  });
  const summary = (name: ServerName): TlsServed => ({
    ...spreadsOf(samples[name], FIGURES),
    ratio: ratioOf('perSecond', samples[name], samples.nginx),
  });
  return { nginx: summary('nginx'), edge: summary('edge') };
}

/** How many requests or handshakes there were. */
async function run(
  load: TlsLoad,
  url: string,
  seconds: number,
  core: number | undefined,
): Promise<number> {
  const extent = { connections: CONNECTIONS, seconds, core };
  if (load === 'http2') return (await h2load(url, extent)).requests;
  const headers: Record<string, string> = load === 'handshakes' ? { Connection: 'close' } : {};
  const result = await wrk({ ...extent, script: 'list', url, headers });
  const failed = failures(result);
  if (failed !== '') throw new BenchError(`The run is invalid: ${TLS_LOADS[load]}: ${failed}.`);
  return result.requests;
}

async function measure({ server }: Participant, work: () => Promise<number>): Promise<Sample> {
  const { result: count, tookMs, cpuMs, peakMiB } = await measureUse(server, work);
  return { perSecond: (count * 1_000) / tookMs, cpuUs: (cpuMs * 1_000) / count, peakMiB };
}

/**
 * Handshakes at each crowd of hosts in turns; the client takes longer than the server. In many short rounds:
 * a virtual machine's speed changes by more than what is compared, but seldom within seconds.
 */
async function compareCrowds(
  servers: Record<Crowd, Participant>,
  {
    rounds,
    handshakes,
    pinning,
  }: { rounds: number; handshakes: number; pinning: Pinning | undefined },
): Promise<EdgeTlsComparison['crowds']> {
  const samples = await inTurns(Object.keys(CROWDS) as Crowd[], rounds, (crowd) =>
    measure(servers[crowd], () =>
      makeHandshakes(servers[crowd].port, handshakes, CROWD_HOSTS[crowd], pinning?.client),
    ),
  );
  console.log('Measured: handshakes at many hosts.');
  const summary = (crowd: Crowd) => ({
    ...spreadsOf(samples[crowd], FIGURES),
    ofFew: ratioOf('cpuUs', samples[crowd], samples.few),
  });
  return { few: summary('few'), inUse: summary('inUse'), any: summary('any') };
}

async function makeHandshakes(
  port: number,
  count: number,
  hosts: string,
  core: number | undefined,
): Promise<number> {
  const env = { BENCH_PORT: String(port), BENCH_COUNT: String(count), BENCH_HOSTS: hosts };
  const child = start(process.execPath, [`${BENCH}src/handshake-client.ts`], env, core);
  if (!child.stdout || !child.stderr) throw new Error('the client has no output');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (Number(out) < count) throw new BenchError(`The run is invalid: ${out}${err}`);
  return Number(out);
}

function print({ loads, crowds }: EdgeTlsComparison): void {
  const rows = (Object.keys(loads) as TlsLoad[]).flatMap((load) =>
    SERVERS.flatMap((name) => {
      const served = loads[load]?.[name];
      if (!served) return [];
      const { perSecond, ratio, cpuUs, peakMiB } = served;
      return [
        [
          `${TLS_LOADS[load]}: ${name}`,
          whole(perSecond.median),
          `${whole(perSecond.min)}–${whole(perSecond.max)}`,
          ratio.median.toFixed(2),
          precise(cpuUs.median),
          whole(peakMiB.median),
        ],
      ];
    }),
  );
  console.log(`\n${table(['', 'a second', '(min–max)', 'of nginx', 'CPU µs', 'MiB'], rows)}`);
  const crowdRows = (Object.keys(CROWDS) as Crowd[]).map((crowd) => {
    const { cpuUs, peakMiB } = crowds[crowd];
    return [CROWDS[crowd], precise(cpuUs.median), whole(peakMiB.median)];
  });
  console.log(`\n${table(['handshakes at hosts', 'CPU µs', 'MiB'], crowdRows)}`);
}
