import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type BuildLog, type DeployProblem, problemOf } from '../../artifact.ts';
import { offsetsOf, type PackedArtifact } from '../artifact/pack.ts';
import type { BuildJob, FromBuildProcess, MemoryLimits } from './messages.ts';

export type BuildOutcome =
  | { readonly artifact: PackedArtifact }
  | { readonly problems: readonly DeployProblem[] };

export interface BuildLimits {
  /** Milliseconds from the start to the result. */
  readonly deadline: number;
  readonly memory: MemoryLimits;
}

/**
 * A document of 10 MB with 7,000 operations takes up to 42 seconds on two busy cores, and is not to fail beside
 * another or on a machine half as fast.
 */
const LIMITS: BuildLimits = { deadline: 120_000, memory: { heap: 1_024, resident: 1_536 } };

/** What a process has built may weigh for the process to be kept, in bytes. */
const SMALL_BYTES = 1_000_000;

/**
 * Builds in a process of its own: the service stays responsive and small, and a document made to take for ever, or all
 * memory, ends as a problem. Rejects when the signal aborts it, or by a defect.
 */
export function runBuild(
  job: BuildJob,
  log: BuildLog,
  signal: AbortSignal,
  { deadline, memory }: BuildLimits = LIMITS,
): Promise<BuildOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<BuildOutcome>();
  signal.throwIfAborted();
  const child = acquireProcess(memory);
  const giveUp = (why: 'slow' | 'large') =>
    resolve({
      problems: [problemOf(TOO_COMPLEX[job.kind === 'document' ? 'document' : 'archive'][why])],
    });
  const timer = setTimeout(() => giveUp('slow'), deadline);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  let isFinished = false;
  const finish = (outcome: BuildOutcome) => {
    isFinished = true;
    resolve(outcome);
  };
  child.on('message', (message: FromBuildProcess) => {
    if ('line' in message) log(message.line);
    else if ('problems' in message) finish(message);
    else if ('tooLarge' in message) giveUp('large');
    else if ('defect' in message) reject(new Error(`A build failed: ${message.defect}`));
    else {
      const { hash, manifest, packed } = message;
      finish({ artifact: { hash, manifest, blobs: offsetsOf(packed) } });
    }
  });
  child.on('error', reject);
  child.on('exit', (code, by) =>
    reject(new Error(`The process of a build ended without a result (${by ?? code}).`)),
  );
  child.send(job);
  return promise.finally(async () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    removeListeners(child);
    // An aborted process is still busy, and one with a large build may hold much memory.
    if (isFinished && job.size <= SMALL_BYTES) releaseProcess(child, memory);
    else await killProcess(child);
  });
}

const TOO_COMPLEX = {
  document: {
    slow: 'The document is too complex to be built in the time that a build has. Split it into several APIs.',
    large:
      'The document is too complex to be built in the memory that a build has. Split it into several APIs.',
  },
  archive: {
    slow: 'The archive takes too long to build. Publish fewer or shorter guides, or split a large OpenAPI document into several APIs.',
    large:
      'The archive takes too much memory to build. Publish fewer or shorter guides, or split a large OpenAPI document into several APIs.',
  },
} as const;

const PROGRAM = fileURLToPath(new URL('build-process.ts', import.meta.url));

/**
 * How long a process waits for another build, in milliseconds. To load what builds need takes most of
 * the time of a small one, and who deploys often deploys again.
 */
const KEPT_MS = 20_000;

interface Kept {
  readonly child: ChildProcess;
  readonly limits: MemoryLimits;
  readonly timer: NodeJS.Timeout;
}

const kept: Kept[] = [];

/** A process that builds (build-process.ts) and has nothing to do. */
function acquireProcess(limits: MemoryLimits): ChildProcess {
  const found = kept.find((one) => isSame(one.limits, limits));
  if (found) {
    removeKept(found);
    found.child.ref();
    found.child.channel?.ref();
    return found.child;
  }
  const { NODE_COMPILE_CACHE } = process.env;
  return fork(PROGRAM, [JSON.stringify(limits)], {
    // Nothing else of the service's, where there are secrets.
    env: { ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) },
    // The flags of the service are for a service, and hold for threads of the process, too.
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** Gives back a process whose build is done; nobody may listen to it any more. It keeps no process alive. */
function releaseProcess(child: ChildProcess, limits: MemoryLimits): void {
  const timer = setTimeout(() => endKept(), KEPT_MS).unref();
  const one: Kept = { child, limits, timer };
  const endKept = () => {
    removeKept(one);
    void killProcess(child);
  };
  // Whatever ends it in the meantime, it is not to be taken again. Without a listener an error would end this process.
  child.once('exit', () => removeKept(one)).once('error', endKept);
  // One that goes on after its build tells why.
  child.once('message', endKept);
  child.unref();
  child.channel?.unref();
  kept.push(one);
}

/** Ends a process, whatever it is in the middle of, and waits until it has ended. */
async function killProcess(child: ChildProcess): Promise<void> {
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

/** By name: the channel itself listens to other events of its own. */
function removeListeners(child: ChildProcess): void {
  for (const event of ['message', 'error', 'exit']) child.removeAllListeners(event);
}

function isSame(one: MemoryLimits, other: MemoryLimits): boolean {
  return one.heap === other.heap && one.resident === other.resident;
}
