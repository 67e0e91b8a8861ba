import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// The processes of builds and comparisons (build-process.ts). One that has done something small is kept for a while.

/**
 * The largest upload after which a process is kept, in bytes, and how many megabytes may be resident then: a small
 * archive can be a large document.
 */
const SMALL = { bytes: 1_000_000, resident: 300 } as const;

/** Whether a process may be kept that had an upload of so many bytes, and has so many megabytes resident. */
export const isSmall = (bytes: number, resident: number): boolean =>
  bytes <= SMALL.bytes && resident <= SMALL.resident;

const PROGRAM = fileURLToPath(new URL('build-process.ts', import.meta.url));

/**
 * How long an idle process waits for another build, in milliseconds. Loading what builds need takes most of the time of
 * a small one, and many deploys are followed by another.
 */
const KEPT_MS = 20_000;

interface Kept {
  readonly child: ChildProcess;
  /** What it may have, in megabytes. */
  readonly memory: number;
  readonly timer: NodeJS.Timeout;
}

const kept: Kept[] = [];

/** A process that builds (build-process.ts) and has nothing to do. */
export function acquireProcess(memory: number): ChildProcess {
  const found = kept.find((one) => one.memory === memory);
  if (found) {
    removeKept(found);
    found.child.ref();
    found.child.channel?.ref();
    return found.child;
  }
  const { NODE_COMPILE_CACHE } = process.env;
  return fork(PROGRAM, [String(memory)], {
    // Without the service's other variables, which may be secrets.
    env: { ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) },
    // The service's flags are tuned for a service, and would apply to threads of the process, too.
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** Returns a process to the pool. What it was asked for is done. It keeps no process alive. */
export function releaseProcess(child: ChildProcess, memory: number): void {
  removeListeners(child);
  const timer = setTimeout(() => endKept(), KEPT_MS).unref();
  const one: Kept = { child, memory, timer };
  const endKept = () => {
    removeKept(one);
    void killProcess(child);
  };
  // When it ends meanwhile, for whatever reason, it must not be used again. Without a listener an error would end this
  // process.
  child.once('exit', () => removeKept(one)).once('error', endKept);
  // If it does anything after its build, it says why it ends.
  child.once('message', endKept);
  child.unref();
  child.channel?.unref();
  kept.push(one);
}

/** Ends a process, whatever it is in the middle of, and waits until it has ended. */
export async function killProcess(child: ChildProcess): Promise<void> {
  removeListeners(child);
  const isOver = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  if (isOver) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', resolve).on('error', () => {});
  child.kill('SIGKILL');
  await promise;
}

function removeKept(one: Kept): void {
  const at = kept.indexOf(one);
  if (at < 0) return;
  kept.splice(at, 1);
  clearTimeout(one.timer);
  removeListeners(one.child);
}

/** By name, since the channel has listeners of its own for other events. */
function removeListeners(child: ChildProcess): void {
  for (const event of ['message', 'error', 'exit']) child.removeAllListeners(event);
}
