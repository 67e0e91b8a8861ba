// Serves the pages of peers as the edge serves those of the product: the same server, compression and headers.
// BENCH_PORT: where it listens. BENCH_DATA: the folder of writeSite.
import { readFile } from 'node:fs/promises';
import { startEdge } from '../../../apps/dashboard/server/src/edge/edge-server.ts';
import { manifestPath } from './peer-files.ts';

const { BENCH_PORT = '', BENCH_DATA = '' } = process.env;

const edge = await startEdge({
  source: {
    findSite: async (host) => ({
      ...{ projectId: host, artifactHash: host, isPreview: false, mcp: false, requestProxy: false },
      origin: `http://${host}:${BENCH_PORT}`,
    }),
    readManifest: async (host) =>
      JSON.parse(await readFile(manifestPath(BENCH_DATA, host), 'utf8')),
    readBlob: (hash) => readFile(`${BENCH_DATA}/${hash}`),
    platformCertificateOf: () => undefined,
    findPlatformCertificate: async () => undefined,
    findServedCertificate: async () => undefined,
    findHttpChallenge: async () => undefined,
    findTlsChallenge: async () => undefined,
    changesAfter: async () => ({ position: '', projectIds: [] }),
  },
  host: '127.0.0.1',
  port: Number(BENCH_PORT),
  log: {
    ...{ isLevelEnabled: () => false, debug: () => undefined, info: () => undefined },
    ...{ warn: console.error, error: console.error },
  },
});
process.once('SIGTERM', edge.close);
