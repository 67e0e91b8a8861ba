import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import type { Logged } from './certificates.ts';
import { auditPath, consistencyProof, treeHash } from './naive-tree.ts';

/** A Certificate Transparency log on loopback, written by the standards: c2sp.org/static-ct-api or RFC 6962. */
export interface LocalLog {
  readonly kind: 'static' | 'rfc6962';
  readonly url: string;
  /** The paths that it was asked for. */
  readonly asked: string[];
  readonly agents: Set<string | undefined>;
  /** Adds entries, and publishes a head with them. */
  add(...entries: readonly Logged[]): void;
  /** Takes the last entries out again, so that what follows contradicts what was signed. */
  forget(count: number): void;
  /** Answers these paths with a status. */
  refuse(path: RegExp, status: number, headers?: Record<string, string>): void;
  /** Changes what it sends for a path. */
  alter(path: RegExp, change: (body: Buffer) => Buffer): void;
  restore(): void;
}

interface Entry {
  readonly leaf: Buffer;
  /** As in a data tile. */
  readonly tileLeaf: Buffer;
}

export async function startLocalLog(t: TestContext, kind: LocalLog['kind']): Promise<LocalLog> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const entries: Entry[] = [];
  const asked: string[] = [];
  const agents = new Set<string | undefined>();
  const refused: { path: RegExp; status: number; headers: Record<string, string> }[] = [];
  const altered: { path: RegExp; change: (body: Buffer) => Buffer }[] = [];
  const leaves = (end = entries.length) => entries.slice(0, end).map(({ leaf }) => leaf);

  const signedHead = () => {
    const timestamp = Date.now();
    const root = treeHash(leaves());
    const said = Buffer.concat([
      Buffer.of(0, 1),
      uint(timestamp, 8),
      uint(entries.length, 8),
      root,
    ]);
    const signature = sign('sha256', said, privateKey);
    const digitallySigned = Buffer.concat([Buffer.of(4, 3), uint(signature.length, 2), signature]);
    return { timestamp, root, signature: digitallySigned };
  };

  const server = createServer((request, response) => {
    const path = (request.url ?? '').slice(1);
    asked.push(path);
    agents.add(request.headers['user-agent']);
    const refusal = refused.find((one) => one.path.test(path));
    if (refusal) {
      response.writeHead(refusal.status, refusal.headers).end();
      return;
    }
    const body = kind === 'static' ? staticBody(path) : rfc6962Body(path);
    send(request, response, path, body);
  });

  function send(_request: IncomingMessage, response: ServerResponse, path: string, body?: Buffer) {
    if (!body) {
      response.writeHead(404).end();
      return;
    }
    const changed = altered
      .filter((one) => one.path.test(path))
      .reduce((bytes, { change }) => change(bytes), body);
    // Logs may compress without being asked to.
    if (path.startsWith('tile/data/'))
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(changed));
    else response.writeHead(200).end(changed);
  }

  const port = () => (server.address() as AddressInfo).port;
  const origin = () => `127.0.0.1:${port()}`;

  function staticBody(path: string): Buffer | undefined {
    if (path === 'checkpoint') return Buffer.from(checkpoint());
    const [, level = '', groups = '', width] =
      /^tile\/(data|\d)\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d+))?$/.exec(path) ?? [];
    if (level === '') return undefined;
    const n = Number(groups.replaceAll(/[x/]/g, ''));
    const count = Math.floor(entries.length / 256 ** (level === 'data' ? 0 : Number(level)));
    const first = n * 256;
    const last = first + Number(width ?? 256);
    if (last > count) return undefined;
    if (level === 'data')
      return Buffer.concat(entries.slice(first, last).map(({ tileLeaf }) => tileLeaf));
    const span = 256 ** Number(level);
    const hashes = Array.from({ length: last - first }, (_, at) =>
      treeHash(leaves((first + at + 1) * span).slice((first + at) * span)),
    );
    return Buffer.concat(hashes);
  }

  function checkpoint(): string {
    const { timestamp, root, signature } = signedHead();
    const id = createHash('sha256').update(der).digest();
    const name = Buffer.from(`${origin()}\n`);
    const keyId = createHash('sha256')
      .update(Buffer.concat([name, Buffer.of(5), id]))
      .digest();
    const note = Buffer.concat([keyId.subarray(0, 4), uint(timestamp, 8), signature]);
    const witness = Buffer.alloc(76, 1).toString('base64');
    return `${origin()}\n${entries.length}\n${root.toString('base64')}\n\n— witness.example ${witness}\n— ${origin()} ${note.toString('base64')}\n`;
  }

  function rfc6962Body(path: string): Buffer | undefined {
    const url = new URL(path, 'http://log.test/');
    const number = (name: string) => Number(url.searchParams.get(name));
    const json = (value: unknown) => Buffer.from(JSON.stringify(value));
    const base64 = (hashes: Buffer[]) => hashes.map((hash) => hash.toString('base64'));
    switch (url.pathname) {
      case '/ct/v1/get-sth': {
        const { timestamp, root, signature } = signedHead();
        return json({
          ...{ tree_size: entries.length, timestamp },
          sha256_root_hash: root.toString('base64'),
          tree_head_signature: signature.toString('base64'),
        });
      }
      case '/ct/v1/get-entries': {
        // At most a hundred, as logs may.
        const end = Math.min(number('end') + 1, number('start') + 100);
        return json({
          entries: entries
            .slice(number('start'), end)
            .map(({ leaf }) => ({ leaf_input: leaf.toString('base64'), extra_data: '' })),
        });
      }
      case '/ct/v1/get-sth-consistency':
        return json({
          consistency: base64(consistencyProof(number('first'), leaves(number('second')))),
        });
      case '/ct/v1/get-proof-by-hash': {
        const tree = leaves(number('tree_size'));
        const hash = url.searchParams.get('hash');
        const index = tree.findIndex((leaf) => treeHash([leaf]).toString('base64') === hash);
        return json({ leaf_index: index, audit_path: base64(auditPath(index, tree)) });
      }
    }
    return undefined;
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    server.closeAllConnections();
    server.close();
  });
  keys.set(origin(), der);
  return {
    kind,
    url: `http://${origin()}/`,
    asked,
    agents,
    add(...logged) {
      for (const one of logged) entries.push(entryOf(one, entries.length));
    },
    forget: (count) => entries.splice(-count),
    refuse: (path, status, headers = {}) => refused.push({ path, status, headers }),
    alter: (path, change) => altered.push({ path, change }),
    restore() {
      refused.length = 0;
      altered.length = 0;
    },
  };
}

const keys = new Map<string, Buffer>();

/** A file that lists logs, as browsers publish theirs. */
export async function logListOf(t: TestContext, logs: readonly LocalLog[]): Promise<string> {
  const file = join(await temporaryFolder(t), 'log_list.json');
  const common = ({ url, kind }: LocalLog) => ({
    description: `Local ${kind}`,
    key: keys.get(new URL(url).host)?.toString('base64'),
    state: { usable: { timestamp: '2026-01-01T00:00:00Z' } },
    temporal_interval: {
      start_inclusive: '2020-01-01T00:00:00Z',
      end_exclusive: '2120-01-01T00:00:00Z',
    },
  });
  const of = (kind: LocalLog['kind']) => logs.filter((log) => log.kind === kind);
  const operator = {
    name: 'Local',
    logs: of('rfc6962').map((log) => ({ ...common(log), url: log.url })),
    tiled_logs: of('static').map((log) => ({
      ...common(log),
      submission_url: log.url,
      monitoring_url: log.url,
    })),
  };
  writeFileSync(file, JSON.stringify({ version: '1', operators: [operator] }));
  return file;
}

function entryOf(logged: Logged, index: number): Entry {
  const issuerKeyHash = Buffer.alloc(32, 7);
  const signed =
    logged.kind === 'x509'
      ? vector(logged.der, 3)
      : Buffer.concat([issuerKeyHash, vector(logged.tbs, 3)]);
  // The leaf_index extension of static logs; others have none.
  const extensions = Buffer.concat([Buffer.of(0), vector(uint(index, 5), 2)]);
  const timestamped = Buffer.concat([
    uint(1_700_000_000_000 + index, 8),
    uint(logged.kind === 'x509' ? 0 : 1, 2),
    signed,
    vector(extensions, 2),
  ]);
  const fingerprints = vector(Buffer.alloc(64, 9), 2);
  const precertificate = logged.kind === 'precert' ? [vector(logged.der, 3)] : [];
  return {
    leaf: Buffer.concat([Buffer.of(0, 0), timestamped]),
    tileLeaf: Buffer.concat([timestamped, ...precertificate, fingerprints]),
  };
}

function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(value));
  return buffer.subarray(8 - bytes);
}

function vector(bytes: Buffer, lengthBytes: number): Buffer {
  return Buffer.concat([uint(bytes.length, lengthBytes), bytes]);
}
