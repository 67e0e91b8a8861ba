import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Building the API's own document takes a few seconds; beyond this something is wrong. */
const DEPLOY_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

/** A first start that is under way: in this process, or in an earlier one that was interrupted. */
export interface FirstStart {
  readonly owner: SignIn;
  /** Has the API's own document deployed, as the project `petstore`. */
  deploy(documentUrl: string): Promise<void>;
  /** The sign-in was shown: the first start is over. */
  finish(): void;
}

/**
 * Creates the dashboard's first account where there is none, or goes on with a first start that was interrupted.
 * Undefined where there is nothing to do. It uses the command line and HTTP alone, as anyone could.
 */
export async function beginFirstStart(
  { url, hasUsers }: { url: string; hasUsers: boolean },
  env: NodeJS.ProcessEnv,
): Promise<FirstStart | undefined> {
  const kept = keptSignIn(env);
  const owner = hasUsers ? kept.read() : kept.make();
  if (!owner) return undefined;
  if (!hasUsers) await createUser(owner, env);
  const call = caller(url);
  const { status } = await call('POST', '/api/session', owner);
  // The password was changed since, or the first account is another: whoever did that is in.
  if (status === 401) kept.forget();
  if (status !== 200) return undefined;
  return {
    owner,
    deploy: (documentUrl) => deploy(expectOk(call), documentUrl),
    finish: kept.forget,
  };
}

async function createUser({ email, password }: SignIn, env: NodeJS.ProcessEnv): Promise<void> {
  const args = ['users', 'create', '--email', email, '--name', 'Owner', '--password-stdin'];
  // Whoever signs in with what is printed is asked for an address and a password of their own.
  args.push('--provisional');
  const child = spawn('dashboard', args, { env, stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(password);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error("npm start: the dashboard's first account could not be made.");
}

async function deploy(call: CallOk, documentUrl: string): Promise<void> {
  const projects = await call<{ items: { slug: string }[] }>('GET', '/api/projects');
  if (!projects.items.some(({ slug }) => slug === 'petstore'))
    await call('POST', '/api/projects', { name: 'Petstore', slug: 'petstore' });
  const path = '/api/projects/petstore/deploys';
  const [newest] = (await call<{ items: DeployState[] }>('GET', `${path}?limit=1`)).items;
  let current = newest && newest.state !== 'failed' ? newest : undefined;
  // As text: parsing would round the 64-bit numbers in it.
  current ??= await call<DeployState>('POST', path, await (await fetch(documentUrl)).text());
  const deadline = Date.now() + DEPLOY_TIMEOUT_MS;
  while (current.state === 'queued' || current.state === 'building') {
    if (Date.now() > deadline) throw new Error(`it is ${current.state} still`);
    await sleep(POLL_MS);
    current = await call<DeployState>('GET', `${path}/${current.id}`);
  }
  await call('DELETE', '/api/session');
  if (current.state === 'failed') throw new Error(JSON.stringify(current.errors));
}

interface DeployState {
  readonly id: string;
  readonly state: string;
  readonly errors?: readonly unknown[];
}

type Call = (
  method: string,
  path: string,
  body?: object | string,
) => Promise<{ status: number; text: string }>;

type CallOk = <Body>(method: string, path: string, body?: object | string) => Promise<Body>;

/** Calls the dashboard as a browser does, with the cookie that it set. */
function caller(dashboard: string): Call {
  let cookie = '';
  return async (method, path, body) => {
    const response = await fetch(dashboard + path, {
      method,
      headers: {
        cookie,
        origin: new URL(dashboard).origin,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    [cookie = cookie] = response.headers.getSetCookie().map((set) => set.replace(/;.*/, ''));
    return { status: response.status, text: await response.text() };
  };
}

function expectOk(call: Call): CallOk {
  return async (method, path, body) => {
    const { status, text } = await call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} got ${status}: ${text}`);
    return text ? JSON.parse(text) : {};
  };
}

interface SignIn {
  readonly email: string;
  readonly password: string;
}

const EMAIL = 'owner@localhost';

/**
 * The dashboard's first sign-in, kept in a file of the data folder from before the account is made until
 * the first start is done: one that is interrupted anywhere is gone on with by the next.
 */
interface KeptSignIn {
  /** Undefined where no first start is under way. */
  read(): SignIn | undefined;
  make(): SignIn;
  forget(): void;
}

/** The first sign-in of the dashboard with these settings. */
function keptSignIn(env: NodeJS.ProcessEnv): KeptSignIn {
  const folder = resolve(env.DASHBOARD_DATA_DIR || 'data');
  const path = join(folder, 'first-start.json');
  return {
    read() {
      try {
        return JSON.parse(readFileSync(path, 'utf8')) as SignIn;
      } catch {
        // None, or one that was being written: then its account was not made yet.
        return undefined;
      }
    },
    make() {
      const signIn = { email: EMAIL, password: randomBytes(12).toString('base64url') };
      mkdirSync(folder, { recursive: true });
      rmSync(path, { force: true });
      writeFileSync(path, JSON.stringify(signIn), { mode: 0o600, flush: true });
      return signIn;
    },
    forget() {
      rmSync(path, { force: true });
    },
  };
}
