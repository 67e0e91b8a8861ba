import { Worker } from 'node:worker_threads';

/**
 * How long a thread waits for another build, in milliseconds. To load what builds need takes most of
 * the time of a small one, and who deploys often deploys again.
 */
const KEPT_MS = 30_000;

interface Kept {
  readonly worker: Worker;
  readonly heap: number;
  readonly timer: NodeJS.Timeout;
}

/** One is enough: a service builds one deploy at a time. */
let kept: Kept | undefined;

/** A thread that builds (build-worker.ts) and has nothing to do. `heap`: what it may take, in megabytes. */
export function takeThread(heap: number): Worker {
  if (kept?.heap === heap) {
    const { worker } = kept;
    letGo();
    worker.ref();
    return worker;
  }
  return new Worker(new URL('build-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heap },
  });
}

/** Gives back a thread whose build is done; nobody may listen to it any more. It keeps no process alive. */
export function keepThread(worker: Worker, heap: number): void {
  const former = kept?.worker;
  letGo();
  void former?.terminate();
  const timer = setTimeout(() => {
    letGo();
    void worker.terminate();
  }, KEPT_MS).unref();
  // Whatever ends it in the meantime, it is not to be taken again. Without a listener an error would end the process.
  worker.once('exit', letGo).once('error', letGo).unref();
  kept = { worker, heap, timer };
}

/** Forgets the kept thread. */
function letGo(): void {
  if (!kept) return;
  clearTimeout(kept.timer);
  forgetListeners(kept.worker);
  kept = undefined;
}

/** By name: the worker itself listens to other events of its own, and would fall silent without. */
export function forgetListeners(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
}
