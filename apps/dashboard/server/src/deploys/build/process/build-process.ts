import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { BuildJob, BuildMessage, FromBuildProcess, MemoryLimits } from './messages.ts';

// The process of builds. The build itself is in a thread (build-worker.ts): this one is free to look after it,
// whatever the build is in the middle of.

/** How often is looked at the memory, in milliseconds. */
const LOOK_MS = 50;

const { heap, resident } = JSON.parse(process.argv[2] ?? '') as MemoryLimits;

// The service is gone, and nobody waits for the build. At once: an orderly end would wait for it.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));

try {
  // When the machine has no memory left, Linux ends this process first, and not the service.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Another system.
}

const worker = new Worker(new URL('build-worker.ts', import.meta.url), {
  resourceLimits: { maxOldGenerationSizeMb: heap },
});
const tell = (message: FromBuildProcess) => process.send?.(message);
worker.on('message', (message: BuildMessage) => tell(message));
worker.on('error', (error: NodeJS.ErrnoException) => {
  const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  tell(isTooLarge ? { tooLarge: true } : { defect: error.stack ?? String(error) });
});
process.on('message', (job: BuildJob) => worker.postMessage(job));

// Bytes outside of the heap count here alone.
setInterval(() => {
  if (process.memoryUsage.rss() > resident * 1024 * 1024) tell({ tooLarge: true });
}, LOOK_MS);
