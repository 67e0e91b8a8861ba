import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export interface SignIn {
  readonly email: string;
  readonly password: string;
}

const EMAIL = 'owner@localhost';

/** Building the API's own document takes a few seconds; beyond this something is wrong. */
const DEPLOY_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

/**
 * Makes the dashboard's first account, and the project `petstore` with the API's own document deployed:
 * in the way that anyone would, by the command line and over HTTP.
 */
export async function firstStart(
  dashboard: string,
  documentUrl: string,
  env: NodeJS.ProcessEnv,
): Promise<SignIn> {
  const owner = { email: EMAIL, password: randomBytes(12).toString('base64url') };
  await createUser(owner, env);
  const call = await signedIn(dashboard, owner);
  await call('POST', '/api/projects', { name: 'Petstore', slug: 'petstore' });
  // As text: parsing would round the 64-bit numbers in it.
  const document = await (await fetch(documentUrl)).text();
  let deploy = await call('POST', '/api/projects/petstore/deploys', document);
  const deadline = Date.now() + DEPLOY_TIMEOUT_MS;
  while (deploy.state !== 'succeeded') {
    if (deploy.state === 'failed' || Date.now() > deadline) {
      throw new Error(
        `npm start: the API's document could not be deployed: ${JSON.stringify(deploy)}`,
      );
    }
    await sleep(POLL_MS);
    deploy = await call('GET', `/api/projects/petstore/deploys/${deploy.id}`);
  }
  await call('DELETE', '/api/session');
  return owner;
}

async function createUser({ email, password }: SignIn, env: NodeJS.ProcessEnv): Promise<void> {
  const args = ['users', 'create', '--email', email, '--name', 'Owner', '--password-stdin'];
  const child = spawn('dashboard', args, { env, stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(password);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error("npm start: the dashboard's first account could not be made.");
}

type Call = (
  method: string,
  path: string,
  body?: object | string,
) => Promise<{ id: string; state: string }>;

async function signedIn(dashboard: string, owner: SignIn): Promise<Call> {
  let cookie = '';
  const call: Call = async (method, path, body) => {
    const response = await fetch(dashboard + path, {
      method,
      headers: {
        cookie,
        origin: new URL(dashboard).origin,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`npm start: ${method} ${path} was answered ${response.status}: ${text}`);
    [cookie = cookie] = response.headers.getSetCookie().map((set) => set.replace(/;.*/, ''));
    return text ? JSON.parse(text) : {};
  };
  await call('POST', '/api/session', owner);
  return call;
}
