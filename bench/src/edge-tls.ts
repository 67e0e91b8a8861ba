import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { authority } from '../../apps/dashboard/test/edge/support/certificates.ts';
import { CONNECTIONS, compare, edgeCommand, startSites } from './beside-nginx.ts';
import { ask } from './edge-checks.ts';
import { PAGE_BYTES, tlsHostName, writePages } from './edge-data.ts';
import { ofRun } from './failure.ts';
import { h2load, hasH2load } from './h2load.ts';
import { makeHandshakes } from './handshakes.ts';
import { findNginx, nginxCommand, type TlsFiles } from './nginx.ts';
import { type Command, freePort } from './processes.ts';
import {
  type EdgeTlsComparison,
  type SideBySide,
  TLS_LOADS,
  type TlsLoad,
  type TlsServed,
} from './results.ts';
import { inTurns, measurement } from './run.ts';
import type { Running } from './service.ts';
import { ratioOf, spreadsOf } from './statistics.ts';
import { wrk } from './wrk.ts';

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

const FEW = 10;
const IN_USE = 1_000;
const MANY = 100_000;
/** In which numbers the hosts in use lie among all. */
const SPREAD = 100;

const DEFAULTS = { rounds: 5, seconds: 5, handshakes: 2_000 };

await measurement('edge-tls', HELP, DEFAULTS, async (options, { machine, folder }) => {
  const { rounds, seconds, handshakes } = options;
  const nginx = findNginx();
  const [sites, own] = [`${folder}/sites`, `${folder}/nginx`];
  mkdirSync(own);
  writePages(sites, ['localhost']);
  const tls = await writeCertificate(folder);
  const startEdge = async (hosts: number) => await start(await tlsEdgeCommand(sites, tls, hosts));

  const both = {
    nginx: await start(nginxCommand(nginx, sites, own, tls)),
    edge: await startEdge(0),
  };
  const loads: Partial<Record<TlsLoad, SideBySide<TlsServed>>> = {};
  for (const load of Object.keys(TLS_LOADS) as TlsLoad[]) {
    if (load === 'http2' && !hasH2load()) continue;
    loads[load] = await compare(both, 'perSecond', { rounds, seconds }, (server, seconds) =>
      measure(server, () => ofRun(TLS_LOADS[load], run(load, urlOf(server.port), seconds))),
    );
    console.log(`Measured: ${TLS_LOADS[load]}.`);
  }
  const crowds = await compareCrowds(startEdge, 4 * rounds, handshakes);
  const extent = { rounds, seconds, connections: CONNECTIONS };
  return { machine, nginx: nginx.version, ...extent, loads, crowds };
});

function urlOf(port: number): string {
  return `https://localhost:${port}/page`;
}

async function writeCertificate(folder: string): Promise<TlsFiles> {
  const files = { chain: `${folder}/chain.pem`, key: `${folder}/key.pem` };
  const { chain, key } = await authority.issue('localhost');
  writeFileSync(files.chain, chain);
  writeFileSync(files.key, key, { mode: 0o600 });
  return files;
}

async function tlsEdgeCommand(
  sites: string,
  { chain, key }: TlsFiles,
  hosts: number,
): Promise<(port: number) => Command> {
  const settings = { BENCH_CHAIN: chain, BENCH_KEY: key, BENCH_TLS_HOSTS: String(hosts) };
  const plainPort = await freePort();
  return (port) => edgeCommand(sites, { ...settings, BENCH_TLS_PORT: String(port) })(plainPort);
}

/** Starts a server and sees that it answers as it should. */
async function start(command: (port: number) => Command): Promise<Running> {
  const running = await startSites(command, urlOf);
  const url = urlOf(running.port);
  const { body } = await ask(url);
  assert.equal(body.length, PAGE_BYTES, `${url} does not answer with the page`);
  return running;
}

/** How many requests or handshakes there were. */
async function run(load: TlsLoad, url: string, seconds: number): Promise<number> {
  const extent = { connections: CONNECTIONS, seconds };
  if (load === 'http2') return (await h2load(url, extent)).requests;
  const headers: Record<string, string> = load === 'handshakes' ? { Connection: 'close' } : {};
  const { requests } = await wrk({ ...extent, script: 'list', url, headers });
  return requests;
}

async function measure({ server }: Running, work: () => Promise<number>) {
  const { result: count, tookMs, cpuMs, peakMiB } = await server.use(work);
  return { perSecond: (count * 1_000) / tookMs, cpuUs: (cpuMs * 1_000) / count, peakMiB };
}

/**
 * Handshakes at each crowd of hosts in turns; the client takes longer than the server. In many short rounds:
 * a virtual machine's speed changes by more than what is compared, but seldom within seconds.
 */
async function compareCrowds(
  startEdge: (hosts: number) => Promise<Running>,
  rounds: number,
  handshakes: number,
): Promise<EdgeTlsComparison['crowds']> {
  // The number of the host at a turn.
  const crowds = [
    { ...(await startEdge(FEW)), hostAt: (turn: number) => turn % FEW },
    { ...(await startEdge(MANY)), hostAt: (turn: number) => (turn % IN_USE) * SPREAD },
    { ...(await startEdge(MANY)), hostAt: () => Math.floor(Math.random() * MANY) },
  ] as const;
  const [few, inUse, any] = await inTurns(crowds, rounds, (crowd) =>
    measure(crowd, () =>
      ofRun(
        'handshakes',
        makeHandshakes(crowd.port, handshakes, (turn) => tlsHostName(crowd.hostAt(turn))),
      ),
    ),
  );
  console.log('Measured: handshakes at many hosts.');
  const summary = (samples: typeof few) => ({
    ...spreadsOf(samples),
    ofFew: ratioOf('cpuUs', samples, few),
  });
  return { few: summary(few), inUse: summary(inUse), any: summary(any) };
}
