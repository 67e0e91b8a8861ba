import {
  type ChildProcess,
  type ForkOptions,
  fork,
  type SpawnOptions,
  spawn,
} from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { cleanUp, type Ending } from './endings.ts';
import { isNotWaitedFor } from './watchdog.ts';

// No child outlives its test: not when a clean-up fails, not when the test's process is killed.

/**
 * Kills the groups of processes whose leaders it was told (`+ 123`, and `- 123` for one that has ended) as soon as
 * its standard input ends, which it does with this process, however that ends.
 */
const REAPER = `
groups=
while read -r sign pid; do
  others=
  for group in $groups; do [ "$group" = "$pid" ] || others="$others $group"; done
  groups=$others
  [ "$sign" = + ] && groups="$groups $pid"
done
for group in $groups; do kill -9 "-$group"; done
`;

/** How long a program that is asked to end may take. */
const PATIENCE_MS = 5_000;

/** A process of tests tells Node of them by its standard output: nobody else writes there, or holds it. */
const STDIO: ForkOptions['stdio'] = ['ignore', 'ignore', 'inherit', 'ipc'];

/** Those whose group has a process in it. The number of another would be given to a stranger in time. */
const alive = new Set<ChildProcess>();

let reaper: ChildProcess | undefined;

/** As `spawn` of Node. The child, and all that it starts, is gone when `t` ends. */
export function spawnChild(
  t: Ending,
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  return adopt(t, spawn(command, args, { ...options, detached: true }));
}

/** As `fork` of Node. The child, and all that it starts, is gone when `t` ends. */
export function forkChild(
  t: Ending,
  program: string | URL,
  args: readonly string[] = [],
  options: Omit<ForkOptions, 'stdio'> = {},
): ChildProcess {
  return adopt(t, fork(program, args, { ...options, stdio: STDIO, detached: true }));
}

/** Kills a child with all that it started, and waits until it has ended. */
async function killChild(child: ChildProcess): Promise<void> {
  if (alive.has(child)) signalGroup(child, 'SIGKILL');
  if (isRunning(child)) await once(child, 'exit');
}

/** Each child leads a group of processes, so that what it started can be found when it is gone itself. */
function adopt(t: Ending, child: ChildProcess): ChildProcess {
  if (child.pid === undefined) return child; // It could not be started; its `error` says so.
  alive.add(child);
  tellReaper('+', child);
  child.once('exit', () => {
    if (signalGroup(child, 0)) return;
    alive.delete(child);
    tellReaper('-', child);
  });
  cleanUp(t, () => end(child));
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  // One that is killed never tells what it covered.
  if (process.env.NODE_V8_COVERAGE && isRunning(child)) {
    child.kill('SIGTERM');
    await once(child, 'exit', { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined);
  }
  await killChild(child);
}

function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

/** Whether there was a process in the group of a child. */
function signalGroup({ pid = 0 }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

function tellReaper(sign: '+' | '-', { pid }: ChildProcess): void {
  reaper ??= startReaper();
  reaper.stdin?.write(`${sign} ${pid}\n`);
}

function startReaper(): ChildProcess {
  // A group of its own: what a terminal interrupts is this process and not what cleans up behind it.
  const child = spawn('sh', ['-c', REAPER], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  (child.stdin as Socket).unref();
  child.stdin.on('error', () => undefined);
  if (child.pid !== undefined) isNotWaitedFor(child.pid);
  return child;
}
