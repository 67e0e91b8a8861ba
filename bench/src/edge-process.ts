// The edge under test: the product's own, on the files of a folder instead of the dashboard's store.
// BENCH_PORT: where it listens. BENCH_DATA: a folder for each host, with its page. BENCH_TLS_PORT: where it
// listens for TLS, if it is to, with BENCH_CHAIN and BENCH_KEY for every host; BENCH_TLS_HOSTS: how many hosts
// more there are, each a project with the page of `localhost`.
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Manifest } from '../../apps/dashboard/server/src/deploys/artifact.ts';
import { startEdge } from '../../apps/dashboard/server/src/edge/edge-server.ts';
import type { Site } from '../../apps/dashboard/server/src/edge/sites/site-source.ts';
import { hostName, tlsHostName } from './edge-data.ts';

const { BENCH_PORT = '', BENCH_DATA = '' } = process.env;
const { BENCH_TLS_PORT, BENCH_CHAIN = '', BENCH_KEY = '', BENCH_TLS_HOSTS = '0' } = process.env;

const sites = new Map<string, Site>();
const manifests = new Map<string, Manifest>();
const blobs = new Map<string, Buffer>();

for (const host of readdirSync(BENCH_DATA)) {
  const page = readFileSync(`${BENCH_DATA}/${host}/page.html`);
  const entry = { ...keep(page), type: 'text/html; charset=utf-8' };
  // To compress all of them would take half a minute, and this one alone is asked for compressed.
  const codings = host === hostName(0) && {
    br: keep(brotliCompressSync(page)),
    gzip: keep(gzipSync(page, { level: 9 })),
  };
  manifests.set(host, {
    version: 1,
    title: host,
    files: { '/page': { ...entry, ...(codings && { codings }) } },
    contentSecurityPolicy:
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  });
  sites.set(host, {
    projectId: host,
    artifactHash: host,
    origin: `http://${host}`,
    isPreview: false,
    mcp: true,
    requestProxy: false,
    ...(BENCH_TLS_PORT && { secureOrigin: `https://${host}:${BENCH_TLS_PORT}` }),
  });
}
const own = sites.get('localhost');
for (let at = 0; own && at < Number(BENCH_TLS_HOSTS); at++) {
  sites.set(tlsHostName(at), { ...own, projectId: tlsHostName(at) });
}
const certificate = BENCH_TLS_PORT && {
  ...{ id: '', chain: readFileSync(BENCH_CHAIN, 'utf8'), key: readFileSync(BENCH_KEY, 'utf8') },
};

function keep(bytes: Buffer): { hash: string; size: number } {
  const name = hash('sha256', bytes);
  blobs.set(name, bytes);
  return { hash: name, size: bytes.length };
}

const edge = await startEdge({
  source: {
    findSite: async (host) => sites.get(host),
    readManifest: async (artifactHash) => manifests.get(artifactHash),
    readBlob: async (name) => blobs.get(name),
    platformCertificateOf: () => undefined,
    findPlatformCertificate: async () => undefined,
    findServedCertificate: async () => certificate || undefined,
    findHttpChallenge: async () => undefined,
    findTlsChallenge: async () => undefined,
    changesAfter: async () => ({ position: '', projectIds: [] }),
  },
  host: '127.0.0.1',
  port: Number(BENCH_PORT),
  ...(BENCH_TLS_PORT && { tls: { port: Number(BENCH_TLS_PORT) } }),
  log: {
    ...{ isLevelEnabled: () => false, debug: () => undefined, info: () => undefined },
    ...{ warn: console.error, error: console.error },
  },
});
process.once('SIGTERM', edge.close);
