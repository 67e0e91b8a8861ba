import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { emptyFolder } from './data.ts';
import { askAs, checkAnswers } from './edge-checks.ts';
import { HOST_SUFFIX, HOSTS, hostName, PAGE_BYTES, writeSites } from './edge-data.ts';
import { EDGE_LOADS, type EdgeComparison, type EdgeLoad, type Served } from './edge-results.ts';
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
import { BenchError } from './failure.ts';
import { choosePinning, describeMachine, type Pinning } from './machine.ts';
import { findNginx, nginxCommand } from './nginx.ts';
import { BENCH } from './paths.ts';
import { type Command, freePort, ServerProcess } from './processes.ts';
import { publish } from './publish.ts';
import { main, positive } from './run.ts';
import { precise, table, whole } from './table.ts';
import { failures, type WrkRun, wrk } from './wrk.ts';

const HELP = `npm run bench:edge -- [options]

Measures the edge beside nginx, in turns, on the same pages: one core for the server, one for the
client. Writes bench/results/edge.json and the table of docs/performance.md. Needs nginx.

  --rounds N     rounds (default 5)
  --seconds N    length of each load in each round (default 5)
  --data DIR     folder for the pages (default bench/data)
  --help         show this
`;

const PATH = '/page';
const ACCEPT = 'gzip, deflate, br';

interface Participant {
  readonly server: ServerProcess;
  readonly origin: string;
  /** The tag of the page of the first host. */
  readonly etag: string;
}

const FIGURES = [
  'requestsPerSecond',
  'p50',
  'p99',
  'cpu',
  'cpuUs',
  'peakMiB',
  'answerBytes',
] as const;

type Sample = Record<(typeof FIGURES)[number], number>;

await main(async () => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '5' },
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
  const nginx = findNginx();
  const { pinning } = choosePinning();
  const machine = describeMachine(pinning);
  const folder = emptyFolder('edge', values.data);
  const [sites, own] = [`${folder}/sites`, `${folder}/nginx`];
  mkdirSync(own);
  writeSites(sites);

  const commands: Record<ServerName, (port: number) => Command> = {
    nginx: nginxCommand(nginx, sites, own),
    edge: edgeCommand(sites),
  };
  const servers: Partial<Record<ServerName, Participant>> = {};
  try {
    for (const name of SERVERS) servers[name] = await join(commands[name], pinning);
    const both = servers as Record<ServerName, Participant>;
    const loads = {} as Record<EdgeLoad, Record<ServerName, Served>>;
    for (const load of Object.keys(EDGE_LOADS) as EdgeLoad[]) {
      loads[load] = await compare(both, load, { rounds, seconds, pinning });
      console.log(`Measured: ${EDGE_LOADS[load]}.`);
    }
    const comparison: EdgeComparison = {
      ...{ machine, nginx: nginx.version, rounds, seconds, connections: CONNECTIONS, loads },
    };
    print(comparison);
    publish('edge', comparison);
  } finally {
    await Promise.all(Object.values(servers).map(({ server }) => server.stop()));
  }
});

function edgeCommand(sites: string): (port: number) => Command {
  return (port) => ({
    args: [`${BENCH}src/edge-process.ts`],
    env: { BENCH_PORT: String(port), BENCH_DATA: sites },
  });
}

/** Starts a server and sees that it answers each load as it should. */
async function join(
  command: (port: number) => Command,
  pinning: Pinning | undefined,
): Promise<Participant> {
  const port = await freePort();
  const server = new ServerProcess(command(port), pinning?.server);
  try {
    await checkAnswers(port, PATH, ACCEPT, () => server.assertAlive());
  } catch (error) {
    await server.stop();
    throw error;
  }
  const { headers } = await askAs(port, PATH, { host: hostName(0) });
  return { server, origin: `http://127.0.0.1:${port}`, etag: headers.etag ?? '' };
}

/** A load on both in turns. */
async function compare(
  servers: Record<ServerName, Participant>,
  load: EdgeLoad,
  { rounds, seconds, pinning }: { rounds: number; seconds: number; pinning: Pinning | undefined },
): Promise<Record<ServerName, Served>> {
  const samples = await inTurns(SERVERS, rounds, (name, isWarmUp) =>
    measure(servers[name], load, isWarmUp ? WARM_UP_SECONDS : seconds, pinning),
  );
  const summary = (name: ServerName): Served => {
    const spreads = spreadsOf(samples[name], FIGURES);
    return {
      ...spreads,
      ratio: ratioOf('requestsPerSecond', samples[name], samples.nginx),
      answerBytes: Math.round(spreads.answerBytes.median),
    };
  };
  return { nginx: summary('nginx'), edge: summary('edge') };
}

async function measure(
  { server, origin, etag }: Participant,
  load: EdgeLoad,
  seconds: number,
  pinning: Pinning | undefined,
): Promise<Sample> {
  const { result, tookMs, cpuMs, peakMiB } = await measureUse(server, () =>
    wrk({
      ...{ connections: CONNECTIONS, seconds, core: pinning?.client },
      ...requestsOf(load, origin, etag),
    }),
  );
  const failed = failures(result);
  if (failed !== '') throw new BenchError(`The run is invalid: ${EDGE_LOADS[load]}: ${failed}.`);
  return {
    requestsPerSecond: (result.requests * 1e6) / result.durationUs,
    ...{ p50: result.p50 / 1_000, p99: result.p99 / 1_000, cpu: cpuMs / tookMs, peakMiB },
    cpuUs: (cpuMs * 1_000) / result.requests,
    answerBytes: result.bytes / result.requests,
  };
}

function requestsOf(
  load: EdgeLoad,
  origin: string,
  etag: string,
): Pick<WrkRun, 'script' | 'url' | 'headers' | 'args'> {
  const one = { script: 'list', url: `${origin}${PATH}` } as const;
  const headers = { Host: hostName(0) };
  switch (load) {
    case 'page':
      return { ...one, headers };
    case 'compressed':
      return { ...one, headers: { ...headers, 'Accept-Encoding': ACCEPT } };
    case 'unchanged':
      return { ...one, headers: { ...headers, 'If-None-Match': etag } };
    case 'hosts':
      return { script: 'hosts', url: origin, args: [PATH, String(HOSTS), HOST_SUFFIX] };
  }
}

function print({ loads }: EdgeComparison): void {
  const rows = (Object.keys(loads) as EdgeLoad[]).flatMap((load) =>
    SERVERS.map((name) => {
      const { requestsPerSecond: rate, ratio, p50, p99, cpu, cpuUs, peakMiB } = loads[load][name];
      return [
        `${EDGE_LOADS[load]}: ${name}`,
        whole(rate.median),
        `${whole(rate.min)}–${whole(rate.max)}`,
        ratio.median.toFixed(2),
        precise(p50.median),
        precise(p99.median),
        cpu.median.toFixed(2),
        precise(cpuUs.median),
        whole(peakMiB.median),
      ];
    }),
  );
  const head = ['', 'req/s', '(min–max)', 'of nginx', 'p50 ms', 'p99 ms', 'cores', 'CPU µs', 'MiB'];
  console.log(`\nPages of ${whole(PAGE_BYTES)} bytes\n\n${table(head, rows)}`);
}
