import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type BuildLog, type BuildProblem, problemOf } from '@petstore/site/build-log.ts';
import { DEPLOY_LIMITS } from '../../deploy-limits.ts';
import { offsetsOf, type PackedArtifact } from '../artifact/pack.ts';
import type { BuildJob, FromBuildProcess, ToBuildProcess } from './messages.ts';

export type BuildOutcome =
  | { readonly artifact: PackedArtifact }
  | { readonly problems: readonly BuildProblem[] }
  /** `isKnown` said so. */
  | { readonly isKnown: true };

/**
 * The largest upload after which a process is kept, in bytes, and how many megabytes may be resident then: a small
 * archive can be a large document.
 */
const SMALL = { bytes: 1_000_000, resident: 300 } as const;

/**
 * Builds in another process: the service stays responsive and small, and a malicious document that takes too much time
 * or memory becomes a problem of the deploy. Rejects when the signal aborts it, or because of a defect.
 */
export function runBuild(
  job: BuildJob,
  log: BuildLog,
  signal: AbortSignal,
  /** Whether the result of a build with this key (build-key.ts) is there: then nothing is built. */
  isKnown: (key: string) => Promise<boolean> = async () => false,
): Promise<BuildOutcome> {
  const { buildSeconds, buildMemory } = job.limits ?? DEPLOY_LIMITS;
  const { promise, resolve, reject } = Promise.withResolvers<BuildOutcome>();
  signal.throwIfAborted();
  const child = acquireProcess(buildMemory);
  const giveUp = (why: 'slow' | 'large') => {
    const limit =
      why === 'slow'
        ? `${buildSeconds} seconds; its operator sets DASHBOARD_BUILD_SECONDS`
        : `${buildMemory} MB; its operator sets DASHBOARD_BUILD_MEMORY_MB`;
    const message = TOO_COMPLEX[job.kind === 'document' ? 'document' : 'archive'][why];
    resolve({ problems: [problemOf(`${message} The limit is ${limit}.`)] });
  };
  const timer = setTimeout(() => giveUp('slow'), buildSeconds * 1_000);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  let isFinished = false;
  let resident = 0;
  const finish = (outcome: BuildOutcome) => {
    isFinished = true;
    resolve(outcome);
  };
  const answerKey = (key: string) =>
    isKnown(key).then((known) => {
      // It may have ended meanwhile, which is told by itself.
      if (child.connected) child.send({ isKnown: known } satisfies ToBuildProcess);
    }, reject);
  child.on('message', (message: FromBuildProcess) => {
    if ('line' in message) log(message.line);
    else if ('resident' in message) resident = message.resident;
    else if ('key' in message) answerKey(message.key);
    else if ('problems' in message || 'isKnown' in message) finish(message);
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
  child.send(job satisfies ToBuildProcess);
  return promise.finally(async () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    removeListeners(child);
    // An aborted process is still busy, and one with a large build may hold much memory.
    const isSmall = job.size <= SMALL.bytes && resident <= SMALL.resident;
    if (isFinished && isSmall) releaseProcess(child, buildMemory);
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
function acquireProcess(memory: number): ChildProcess {
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

/** Returns a process to the pool. Its build is done, and its caller's listeners are gone. It keeps no process alive. */
function releaseProcess(child: ChildProcess, memory: number): void {
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

/** By name, since the channel has listeners of its own for other events. */
function removeListeners(child: ChildProcess): void {
  for (const event of ['message', 'error', 'exit']) child.removeAllListeners(event);
}
