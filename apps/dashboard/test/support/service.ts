import assert from 'node:assert/strict';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { engineOf } from '@petstore/test-support/engines.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { pino } from 'pino';
import type { PasswordCost } from '../../server/src/accounts/passwords.ts';
import { type Config, readConfig } from '../../server/src/config.ts';
import { type Dashboard, startDashboard } from '../../server/src/dashboard.ts';
import { UPLOAD_LIMITS, type UploadLimits } from '../../server/src/deploys/receive-upload.ts';
import { ensureWebBuild } from '../../server/src/web/ensure-web-build.ts';
import { shareCompressionsWith } from './compressions.ts';
import { openPrepared, UP_TO_DATE } from './store.ts';

export interface Service extends Dashboard {
  /** Where the dashboard listens: `http://127.0.0.1:12345`. */
  readonly origin: string;
  readonly edgePort: number;
  /** What the service logged, a line each. */
  readonly logged: string[];
  /** A visitor who is not signed in. */
  visitor(): Visitor;
  /** Signs up and in; the first to do so owns the installation. */
  signUp(email: string, invitation?: string): Promise<Visitor>;
}

export interface Visitor {
  /** A request as the browser's page makes it, or with a token. `path` begins with `/api`. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** The same with a token in place of the cookie. */
  withToken(token: string): Visitor;
}

export const PASSWORD = 'correct horse battery';

/** The same for all tests of a process. */
let pages: Promise<string> | undefined;

/** Passwords guard nothing here, and a hash of the real cost takes longer than most tests. */
const CHEAP: PasswordCost = { memoryKib: 64, passes: 1 };

/** The dashboard on real sockets with a database of its own on the test's engine, and gone when `t` ends. */
export async function startService(
  t: Ending,
  overrides: Partial<Config> = {},
  {
    now = Date.now,
    passwordCost = CHEAP,
    uploadLimits = UPLOAD_LIMITS,
  }: { now?: () => number; passwordCost?: PasswordCost; uploadLimits?: UploadLimits } = {},
): Promise<Service> {
  const dataDir = await temporaryFolder(t);
  const databaseUrl = await engineOf(t).createDatabase(t, UP_TO_DATE);
  const fromEnvironment = readConfig({
    DASHBOARD_PORT: '0',
    EDGE_HTTP_PORT: '0',
    EDGE_HTTPS_PORT: '0',
  });
  const config: Config = { ...fromEnvironment, dataDir, databaseUrl, ...overrides };
  const logged: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => logged.push(line) });
  pages ??= ensureWebBuild(log);
  const dashboard = await startDashboard({
    ...{ config, log, version: '0.0.0-test', now, passwordCost, uploadLimits },
    webBuild: pages,
    open: openPrepared,
  });
  cleanUp(t, dashboard.close);
  shareCompressionsWith(config.dataDir);
  const origin = dashboard.addresses.dashboard;
  const visitor = () => visitorOf(origin);
  return {
    ...dashboard,
    origin,
    edgePort: Number(new URL(dashboard.addresses.site('any')).port),
    logged,
    visitor,
    async signUp(email, invitation) {
      const someone = visitor();
      const account = {
        email,
        password: PASSWORD,
        name: email.replace(/@.*/, ''),
        ...(invitation && { invitation }),
      };
      const made = await someone.call('POST', '/api/sign-up', account);
      assert.equal(made.status, 202, await made.text());
      const signedIn = await someone.call('POST', '/api/session', { email, password: PASSWORD });
      assert.equal(signedIn.status, 200, await signedIn.text());
      return someone;
    },
  };
}

/** A visitor of the dashboard at an address. */
export function visitorOf(origin: string, token?: string): Visitor {
  const cookies = new Map<string, string>();
  return {
    async call(method, path, body, headers = {}) {
      const cookie = [...cookies.values()].join('; ');
      const isBytes = body instanceof Uint8Array || typeof body === 'string';
      const response = await fetch(origin + path, {
        method,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : { origin, ...(cookie && { cookie }) }),
          ...(body !== undefined && !isBytes && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: isBytes ? (body as string) : JSON.stringify(body) }),
      });
      for (const set of response.headers.getSetCookie()) keepCookie(cookies, set);
      return response;
    },
    withToken: (secret) => visitorOf(origin, secret),
  };
}

/** Signs in somebody who has an account. */
export async function signIn(service: Service, email = 'root@example.com'): Promise<Visitor> {
  const someone = service.visitor();
  await json(await someone.call('POST', '/api/session', { email, password: PASSWORD }));
  return someone;
}

/** As a browser keeps it, or forgets it when it is taken back. */
function keepCookie(cookies: Map<string, string>, set: string): void {
  const [pair = ''] = set.split(';');
  const name = pair.replace(/=.*/, '');
  if (pair.endsWith('=')) cookies.delete(name);
  else cookies.set(name, pair);
}

/** An answer's JSON, after its status was checked. */
export async function json<T>(response: Response, status = 200): Promise<T> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  return JSON.parse(text) as T;
}

/** Checks that an answer is an error with this status and code, and exactly the Error body; its message. */
export async function assertError(
  response: Response,
  status: number,
  code: string,
): Promise<string> {
  const body = await json<Record<string, unknown>>(response, status);
  assert.deepEqual(Object.keys(body), ['code', 'message', 'status']);
  assert.equal(body.code, code);
  assert.equal(body.status, status);
  return String(body.message);
}
