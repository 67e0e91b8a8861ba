import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { UserError } from './user-error.ts';

export interface Running {
  readonly child: ChildProcess;
}

/**
 * Starts a service that prints one line of JSON when it is up. `facts` resolves with that line, and rejects with a
 * UserError when the service ends before. The service's standard error goes to this process's. Its standard input ends
 * with this process, even if that is killed.
 */
export function startPart<Facts>(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Running & { readonly facts: Promise<Facts> } {
  const service = ['serve', '--json', '--until-stdin-ends', ...args];
  const child = spawn(program, service, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  return { child, facts: readFacts<Facts>(program, child) };
}

async function readFacts<Facts>(program: string, child: ChildProcess): Promise<Facts> {
  if (!child.stdout) throw new Error(`${program} has no standard output`);
  const lines = createInterface(child.stdout);
  const [line] = await Promise.race([
    once(lines, 'line') as Promise<[string]>,
    once(lines, 'close').then(() => {
      throw new UserError(`${program} did not start.`);
    }),
    once(child, 'error').then(([error]) => {
      throw new UserError(`${program} cannot be run (${error.message}). Run npm ci first.`);
    }),
  ]);
  return JSON.parse(line) as Facts;
}

export function isRunning({ child }: Running): boolean {
  return child.exitCode === null && child.signalCode === null && child.pid !== undefined;
}
