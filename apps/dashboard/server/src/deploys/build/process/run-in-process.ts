import { once } from 'node:events';
import type { BuildJob, ComparisonJob, FromBuildProcess, ToBuildProcess } from './messages.ts';
import { acquireProcess, isSmall, killProcess, releaseProcess } from './process-pool.ts';

/** A job for a process of builds. */
interface ProcessJob<Result> {
  readonly job: BuildJob | ComparisonJob;
  /** What it is called in errors: `build`. */
  readonly name: string;
  /** In megabytes. */
  readonly memory: number;
  readonly seconds: number;
  /** The result where it takes more than that. */
  readonly tooMuch: (of: 'time' | 'memory') => Result;
}

/** A job that is under way. */
export interface Running<Result> {
  /** Ends it with its result: the process is free. */
  finish(result: Result): void;
  /** Sends an answer to the process, which waits for it; `isTimed`: the time until then is the job's. */
  answer(answer: Promise<ToBuildProcess>, isTimed: boolean): void;
}

/**
 * Has a process of builds do a job, and passes its messages on until there is a result. Rejects when the signal aborts it,
 * with the system's error where that cannot start a process, or because of a defect.
 */
export async function runInProcess<Result>(
  { job, name, memory, seconds, tooMuch }: ProcessJob<Result>,
  signal: AbortSignal,
  take: (message: FromBuildProcess, running: Running<Result>) => void,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  signal.throwIfAborted();
  const child = acquireProcess(memory);
  // The system could not start it, and says why. It may have no channel then.
  if (child.pid === undefined) await once(child, 'exit');
  const clock = timeLimit(seconds * 1_000, () => resolve(tooMuch('time')));
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  let isFinished = false;
  let isOver = false;
  let resident = 0;
  const running: Running<Result> = {
    finish(result) {
      isFinished = true;
      resolve(result);
    },
    answer(answer, isTimed) {
      if (!isTimed) clock.stop();
      answer.then((message) => {
        // It may have ended meanwhile, which is told by itself.
        if (isOver || !child.connected) return;
        if (!isTimed) clock.goOn();
        child.send(message);
      }, reject);
    },
  };
  child.on('message', (message: FromBuildProcess) => {
    if ('resident' in message) resident = message.resident;
    else if ('tooLarge' in message) resolve(tooMuch('memory'));
    else if ('defect' in message) reject(new Error(`A ${name} failed: ${message.defect}`));
    else take(message, running);
  });
  child.on('error', reject);
  child.on('exit', (code, by) =>
    reject(new Error(`The process of a ${name} ended without a result (${by ?? code}).`)),
  );
  child.send(job satisfies ToBuildProcess);
  return promise.finally(async () => {
    isOver = true;
    clock.stop();
    signal.removeEventListener('abort', abort);
    // An aborted process is still busy, and one with a large job may hold much memory.
    if (isFinished && isSmall(job.size, resident)) releaseProcess(child, memory);
    else await killProcess(child);
  });
}

/** Calls when so many milliseconds are over, without those during which it was stopped. */
function timeLimit(milliseconds: number, call: () => void) {
  let left = milliseconds;
  let begun = performance.now();
  let timer = setTimeout(call, left);
  return {
    stop() {
      clearTimeout(timer);
      left -= performance.now() - begun;
    },
    goOn() {
      begun = performance.now();
      timer = setTimeout(call, left);
    },
  };
}
