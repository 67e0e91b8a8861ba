import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { spawnChild } from '../children.ts';
import { cleanUp, type Ending } from '../clean-up.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface GitHttpsHost {
  /** `https://localhost:1234` */
  readonly origin: string;
  /** The authority of its certificate. */
  readonly caFile: string;
  /** What was asked for, as `GET /path?query`. */
  readonly requests: string[];
  /** The credentials that it wants, as `user:password`; null: none. */
  credentials: string | null;
  /** Answers in place of git; false where it leaves the request to git. */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** A host of git over https on loopback: `git http-backend`, with the repositories of a folder. */
export async function gitHttpsHost(t: Ending, root: string): Promise<GitHttpsHost> {
  const { key, cert, caFile } = await certificate(t);
  const requests: string[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.on('error', () => undefined);
    if (host.answer(request, response)) return;
    const given = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (host.credentials !== null && atob(given) !== host.credentials) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    runBackend(t, root, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    server.close();
    server.closeAllConnections();
  });
  const host: GitHttpsHost = {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    caFile,
    requests,
    credentials: null,
    answer: () => false,
  };
  return host;
}

/** `git http-backend`, which is a CGI program (RFC 3875). */
function runBackend(
  t: Ending,
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { pathname, search } = new URL(request.url ?? '/', 'https://localhost');
  const { headers } = request;
  const child = spawnChild(t, 'git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      // The repositories may be another user's.
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: headers['content-type'],
      CONTENT_LENGTH: headers['content-length'],
      HTTP_CONTENT_ENCODING: headers['content-encoding'],
      GIT_PROTOCOL: headers['git-protocol'] as string | undefined,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('git http-backend was not started');
  stdin.on('error', () => undefined);
  response.on('close', () => child.kill('SIGKILL'));
  request.pipe(stdin);
  let head = Buffer.alloc(0);
  stdout.on('data', function read(chunk: Buffer) {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    stdout.off('data', read);
    const fields = head
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const status = fields.find(([name]) => name === 'Status')?.[1] ?? '200';
    const others = fields.filter(([name]) => name !== 'Status');
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(others));
    response.write(head.subarray(end + 4));
    stdout.pipe(response);
  });
}

/** A certificate for `localhost` and `git.example`, its own authority. */
async function certificate(t: Ending) {
  const folder = await temporaryFolder(t);
  const [keyFile, caFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const { status, stderr } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...[
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost,DNS:git.example',
    ],
    ...['-keyout', keyFile, '-out', caFile],
  ]);
  if (status !== 0) throw new Error(`openssl failed: ${stderr}`);
  return { key: readFileSync(keyFile), cert: await readFile(caFile), caFile };
}
