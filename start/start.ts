// `npm start`: the API, and the dashboard with its edge, as two processes that come and go together.

import { styleText } from 'node:util';
import { type BannerFacts, banner } from '../apps/petstore/src/commands/banner.ts';
import { firstStart, type SignIn } from './first-start.ts';
import { isRunning, type Running, startPart } from './part.ts';

/** How soon after the first signal another one is taken for the same, in milliseconds: npm passes it on. */
const SAME_SIGNAL_MS = 500;

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
  const dashboard = await start<DashboardFacts>('dashboard', ['serve', '--json'], env);
  const site = dashboard.sites.replace('{slug}', 'petstore');
  // The panel on the site's pages calls the API from the browser.
  const api = await start<BannerFacts>('petstore', ['serve', '--first-key', '--json'], {
    PETSTORE_CORS_ORIGINS: site,
    ...env,
  });
  const owner = dashboard.hasUsers
    ? undefined
    : await firstStart(dashboard.url, `${api.baseUrl}/openapi.json`, env);
  process.stdout.write(banner(api, [...besides(dashboard, site, owner)]));
} catch (error) {
  if (stoppingSince === undefined) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
    stop('SIGTERM');
  }
}

async function start<Facts>(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<Facts> {
  const part = startPart<Facts>(program, args, env);
  parts.push(part);
  // One without the other is no service: whoever supervises this one starts both again.
  part.child.once('exit', (code) => {
    if (stoppingSince === undefined) {
      process.exitCode = code || 1;
      stop('SIGTERM');
    }
  });
  return part.facts;
}

function stop(signal: NodeJS.Signals): void {
  const again = stoppingSince !== undefined && performance.now() - stoppingSince > SAME_SIGNAL_MS;
  stoppingSince ??= performance.now();
  for (const { child } of parts.filter(isRunning)) child.kill(again ? 'SIGKILL' : signal);
}

function* besides(
  { url }: DashboardFacts,
  site: string,
  owner: SignIn | undefined,
): Generator<[string, string]> {
  yield ['Docs', site];
  yield ['Dashboard', url];
  if (owner) {
    const { email, password } = owner;
    const shownOnce = styleText('dim', '(new; shown this once)');
    yield [
      'Sign in',
      `${styleText('bold', email)}  password ${styleText('bold', password)}  ${shownOnce}`,
    ];
  }
}
