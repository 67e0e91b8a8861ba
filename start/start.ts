// `npm start`: the API, and the dashboard with its edge, as two processes that come and go together.

import { execFile } from 'node:child_process';
import { promisify, styleText } from 'node:util';
import { isRunning, type Running, startPart } from '@petstore/service/part.ts';
import { SAME_SIGNAL_MS } from '@petstore/service/shutdown.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { firstDeploy } from '../apps/dashboard/server/src/commands/banner.ts';
import { type BannerFacts, banner } from '../apps/petstore/src/commands/banner.ts';
import { beginFirstStart, type FirstStart } from './first-start.ts';

interface DashboardFacts {
  readonly url: string;
  /** Where sites are, with {slug} in it. */
  readonly sites: string;
  readonly hasUsers: boolean;
}

const parts: Running[] = [];
let stoppingSince: number | undefined;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal));

if (process.stderr.isTTY)
  process.stderr.write('Starting; the first time takes some ten seconds.\n');

try {
  // The banner says what there is to know; from then on only what goes wrong.
  const env = { DASHBOARD_LOG_LEVEL: 'warn', PETSTORE_LOG_LEVEL: 'warn', ...process.env };
  const dashboard = await start<DashboardFacts>('dashboard', [], env);
  const site = dashboard.sites.replace('{slug}', 'petstore');
  const first = await beginFirstStart(dashboard, env);
  // The panel on the site's pages calls the API from the browser.
  const api = await start<BannerFacts>('petstore', [], { PETSTORE_CORS_ORIGINS: site, ...env });
  await first?.deploy(`${api.baseUrl}/openapi.json`).catch(sayNotDeployed);
  // Last, and only its hash is kept: it is in the banner a moment after it was made.
  const firstKey = api.firstKey ?? (api.hasKeys ? undefined : await makeFirstKey(env));
  const lines = firstDeploy(dashboard.url, 'npx dashboard');
  process.stdout.write(
    `${banner({ ...api, firstKey }, [...besides(dashboard, site, first)])}${lines.join('\n')}\n\n`,
  );
  first?.finish();
} catch (error) {
  if (stoppingSince === undefined) {
    const { message } = error as Error;
    process.stderr.write(error instanceof UserError ? `npm start: ${message}\n` : `${message}\n`);
    process.exitCode = 1;
    stop('SIGTERM');
  }
}

/** A key for the API, when the store has none yet. */
async function makeFirstKey(env: NodeJS.ProcessEnv): Promise<string> {
  const args = ['keys', 'create', '--name', 'first key', '--json'];
  const made = await promisify(execFile)('petstore', args, { env });
  return (JSON.parse(made.stdout) as { key: string }).key;
}

async function start<Facts>(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<Facts> {
  if (stoppingSince !== undefined) throw new Error('npm start: it was stopped.');
  const part = startPart<Facts>(program, args, env);
  parts.push(part);
  // When one program ends, the other is stopped, too: a supervisor then starts both again.
  part.child.once('exit', (code) => {
    if (stoppingSince === undefined) {
      process.exitCode = code || 1;
      stop('SIGTERM');
    }
  });
  return part.facts;
}

/** Without its own reference in the dashboard the API is all there, and so is the dashboard. */
function sayNotDeployed({ message }: Error): void {
  if (stoppingSince === undefined)
    process.stderr.write(`npm start: the API's document could not be deployed: ${message}\n`);
}

function stop(signal: NodeJS.Signals): void {
  const again = stoppingSince !== undefined && performance.now() - stoppingSince > SAME_SIGNAL_MS;
  stoppingSince ??= performance.now();
  for (const { child } of parts.filter(isRunning)) child.kill(again ? 'SIGKILL' : signal);
}

function* besides(
  { url }: DashboardFacts,
  site: string,
  first: FirstStart | undefined,
): Generator<[string, string]> {
  yield ['Docs', site];
  yield ['Dashboard', url];
  if (first) {
    const { email, password } = first.owner;
    const note = styleText('dim', '(new; note it down)');
    yield [
      'Sign in',
      `${styleText('bold', email)}  password ${styleText('bold', password)}  ${note}`,
    ];
  }
}
