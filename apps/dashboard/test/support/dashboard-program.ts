import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import {
  finished,
  type Outcome,
  type Program,
  runProgram,
  startProgram,
} from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { createUser } from '../../server/src/accounts/accounts.ts';
import { PASSWORD_COST } from '../../server/src/accounts/passwords.ts';
import { OPERATOR_SCOPES } from '../../server/src/accounts/permissions.ts';
import { createToken } from '../../server/src/accounts/tokens.ts';
import { OPERATOR } from '../../server/src/audit/actor.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { shareCompressionsWith } from './compressions.ts';

export const DASHBOARD = fileURLToPath(new URL('../../bin/dashboard.js', import.meta.url));

export interface RunningDashboard extends Program {
  readonly url: string;
  readonly edgePort: number;
  readonly httpsPort: number;
}

/** Runs `dashboard` as a person would, and waits for its end. `input` goes to its standard input. */
export async function dashboard(
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
  input = '',
): Promise<Outcome> {
  return runProgram(process.execPath, [DASHBOARD, ...args], cwd, env, input);
}

/** Starts `dashboard serve` and waits until it is up. Ports are free ones unless `env` says otherwise. */
export async function serveDashboard(
  t: Ending,
  cwd: string,
  env: Record<string, string> = {},
): Promise<RunningDashboard> {
  const program = startProgram(t, process.execPath, [DASHBOARD, 'serve', '--json'], cwd, {
    DASHBOARD_PORT: '0',
    EDGE_HTTP_PORT: '0',
    EDGE_HTTPS_PORT: '0',
    ...env,
  });
  const deadline = Date.now() + 180_000;
  while (!program.output.stdout.includes('\n')) {
    const isOver = program.child.exitCode !== null || Date.now() > deadline;
    assert.ok(!isOver, `no start: ${program.output.stdout}${program.output.stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  shareCompressionsWith(env.DASHBOARD_DATA_DIR ?? join(cwd, 'data'));
  const { url, sites, httpsPort } = JSON.parse(program.output.stdout) as {
    url: string;
    sites: string;
    httpsPort: number;
  };
  const edgePort = Number(new URL(sites.replace('{slug}', 'any')).port);
  return { ...program, url, edgePort, httpsPort };
}

/** The owner whom `ownerToken` makes. */
export const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };

/**
 * The first account of the SQLite database in a folder where `dashboard serve` runs, and a token of it: what
 * `dashboard users create` and `dashboard tokens create` do, without two programs to start.
 */
export async function ownerToken(folder: string): Promise<string> {
  const { db, close } = await openDatabase(`sqlite:${join(folder, 'data/dashboard.db')}`, 1);
  try {
    const deps = { db, now: Date.now, passwordCost: PASSWORD_COST };
    const owner = await createUser(deps, { ...OWNER, name: 'owner', isFirst: true }, OPERATOR);
    const scopes = [...OPERATOR_SCOPES, 'installation'] as const;
    return (await createToken(deps, owner, { name: 't', project: null, scopes }, OPERATOR)).token;
  } finally {
    await close();
  }
}

/** Ends a program at once, as a power cut would. */
export async function killAtOnce({ child }: Program): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** What a site's page holds, asked for by an agent of one's own where there is one. Browsers resolve names under localhost themselves; fetch does not. */
export function getFromEdge(
  port: number,
  host: string,
  path = '/',
  agent?: Agent,
): Promise<{ status: number; text: string; location: string | undefined }> {
  return new Promise((resolve, reject) => {
    const headers = { host: `${host}:${port}` };
    const asked = request({ ...(agent && { agent }), host: '127.0.0.1', port, path, headers });
    asked.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      const { location } = response.headers;
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, location }));
    });
    asked.end();
  });
}

/** `dashboard edge` on a database; its ports for HTTP and TLS. It has to end well when the test ends. */
export async function startEdgeProgram(
  t: Ending,
  databaseUrl: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Program & { readonly port: number; readonly httpsPort: number }> {
  const program = startProgram(
    t,
    process.execPath,
    [DASHBOARD, 'edge', ...args],
    await temporaryFolder(t),
    { DASHBOARD_DATABASE_URL: databaseUrl, EDGE_HTTP_PORT: '0', EDGE_HTTPS_PORT: '0', ...env },
  );
  cleanUp(t, async () => {
    program.child.kill('SIGTERM');
    assert.equal((await finished(program)).code, 0);
  });
  const deadline = Date.now() + 120_000;
  for (;;) {
    const said = /localhost:(\d+).*TLS on port (\d+)/s.exec(program.output.stdout);
    if (said) return { ...program, port: Number(said[1]), httpsPort: Number(said[2]) };
    assert.ok(Date.now() < deadline && program.child.exitCode === null, program.output.stderr);
    await sleep(10);
  }
}
