import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Running, startPart } from '@petstore/service/part.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { type Call, jsonClient } from './json-client.ts';

export interface LabDashboard {
  readonly part: Running;
  readonly url: string;
  /** The address of the project's site on the platform. */
  readonly site: string;
  readonly owner: Owner;
  /** Calls the REST interface with the owner's rights. */
  readonly call: Call;
}

interface Owner {
  readonly email: string;
  readonly password: string;
  /** For the lab itself. */
  readonly token: string;
}

export const PROJECT = 'petstore';

const DOCUMENT = new URL('../../../docs/openapi.json', import.meta.url);
const DEPLOY_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

/** Variables of the caller's environment that the lab's dashboard must not read. */
const FOREIGN = /^(DASHBOARD|EDGE|ACME|DNS|SMTP)_/;

/**
 * Starts `dashboard serve` with these settings, and with an owner and a project on the plan `pro` whose document is
 * deployed. A second start in the same folder finds them again. `onStart` is called with the process before it is up.
 * Rejects when it ends before that.
 */
export async function startLabDashboard(
  folder: string,
  settings: Readonly<Record<string, string>>,
  onStart: (part: Running) => Promise<void>,
): Promise<LabDashboard> {
  const own = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
  const env = {
    DASHBOARD_LOG_LEVEL: 'warn',
    ...Object.fromEntries(own),
    ...settings,
    DASHBOARD_DATA_DIR: folder,
  };
  const part = startPart<{ url: string; sites: string }>('dashboard', [], env);
  await onStart(part);
  const { url, sites } = await part.facts;
  const owner = (await readOwner(folder)) ?? (await makeOwner(folder, env));
  const call = jsonClient(url, owner.token);
  await fillProject(call);
  return { part, url, site: sites.replace('{slug}', PROJECT), owner, call };
}

async function fillProject(call: Call): Promise<void> {
  const { items } = await call<{ items: { slug: string }[] }>('GET', '/api/projects');
  if (items.some(({ slug }) => slug === PROJECT)) return;
  await call('POST', '/api/projects', { name: 'Petstore', slug: PROJECT });
  await call('PUT', `/api/projects/${PROJECT}/plan`, { plan: 'pro' });
  const path = `/api/projects/${PROJECT}/deploys`;
  // As text: parsing would round the 64-bit numbers in it.
  const document = await readFile(DOCUMENT, 'utf8');
  let deploy = await call<{ id: string; state: string; errors: unknown }>('POST', path, document);
  const deadline = Date.now() + DEPLOY_TIMEOUT_MS;
  while (deploy.state !== 'succeeded') {
    if (deploy.state === 'failed' || Date.now() > deadline)
      throw new UserError(`The deploy is ${deploy.state}: ${JSON.stringify(deploy.errors)}`);
    await sleep(POLL_MS);
    deploy = await call('GET', `${path}/${deploy.id}`);
  }
}

const ownerFile = (folder: string) => join(folder, 'lab-owner.json');

async function readOwner(folder: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(ownerFile(folder), 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

async function makeOwner(folder: string, env: NodeJS.ProcessEnv): Promise<Owner> {
  const email = 'owner@lab.localhost';
  const password = randomBytes(9).toString('base64url');
  const user = ['users', 'create', '--email', email, '--name', 'Owner', '--password-stdin'];
  await command(user, env, password);
  const newToken = ['tokens', 'create', '--email', email, '--name', 'npm run lab', '--json'];
  const { token } = JSON.parse(await command(newToken, env)) as { token: string };
  const owner = { email, password, token };
  await writeFile(ownerFile(folder), JSON.stringify(owner), { mode: 0o600 });
  return owner;
}

/** The output of `dashboard …args`. */
async function command(args: string[], env: NodeJS.ProcessEnv, input = ''): Promise<string> {
  const child = spawn('dashboard', args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new UserError(`dashboard ${args.slice(0, 2).join(' ')} failed.`);
  return output;
}
