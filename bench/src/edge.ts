import { mkdirSync } from 'node:fs';
import { CONNECTIONS, compare, edgeCommand, startSites } from './beside-nginx.ts';
import { ask, checkAnswers } from './edge-checks.ts';
import { HOST_SUFFIX, HOSTS, hostName, writeSites } from './edge-data.ts';
import { ofRun } from './failure.ts';
import { findNginx, nginxCommand } from './nginx.ts';
import type { Command } from './processes.ts';
import { EDGE_LOADS, type EdgeLoad, type Served, type SideBySide } from './results.ts';
import { measurement } from './run.ts';
import type { Running } from './service.ts';
import { type WrkRun, wrk } from './wrk.ts';

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

const DEFAULTS = { rounds: 5, seconds: 5 };

await measurement('edge', HELP, DEFAULTS, async (options, { machine, folder }) => {
  const nginx = findNginx();
  const [sites, own] = [`${folder}/sites`, `${folder}/nginx`];
  mkdirSync(own);
  writeSites(sites);

  const both = {
    nginx: await start(nginxCommand(nginx, sites, own)),
    edge: await start(edgeCommand(sites)),
  };
  const loads = {} as Record<EdgeLoad, SideBySide<Served>>;
  for (const load of Object.keys(EDGE_LOADS) as EdgeLoad[]) {
    const spreads = await compare(both, 'requestsPerSecond', options, (server, seconds) =>
      measure(server, load, seconds),
    );
    const served = ({ answerBytes, ...rest }: typeof spreads.edge): Served => ({
      ...rest,
      answerBytes: Math.round(answerBytes.median),
    });
    loads[load] = { nginx: served(spreads.nginx), edge: served(spreads.edge) };
    console.log(`Measured: ${EDGE_LOADS[load]}.`);
  }
  return { machine, nginx: nginx.version, ...options, connections: CONNECTIONS, loads };
});

/** Starts a server and sees that it answers each load as it should. */
async function start(command: (port: number) => Command): Promise<Running> {
  const running = await startSites(command, (port) => `http://127.0.0.1:${port}`);
  await checkAnswers(`${running.origin}${PATH}`, ACCEPT);
  return running;
}

async function measure({ server, origin }: Running, load: EdgeLoad, seconds: number) {
  // The tag of the page of the first host.
  const { headers } = await ask(`${origin}${PATH}`, { host: hostName(0) });
  const run = { connections: CONNECTIONS, seconds, ...requestsOf(load, origin, headers.etag) };
  const used = await server.use(() => ofRun(EDGE_LOADS[load], wrk(run)));
  const { result, tookMs, cpuMs, peakMiB } = used;
  return {
    requestsPerSecond: (result.requests * 1e6) / result.durationUs,
    p50: result.p50 / 1_000,
    p99: result.p99 / 1_000,
    cpu: cpuMs / tookMs,
    cpuUs: (cpuMs * 1_000) / result.requests,
    peakMiB,
    answerBytes: result.bytes / result.requests,
  };
}

function requestsOf(
  load: EdgeLoad,
  origin: string,
  etag = '',
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
