import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { BuildMessage, FromBuildProcess, ToBuildProcess } from './messages.ts';

// The process of builds. The build itself runs in a thread (build-worker.ts), so that this thread can watch it at any
// moment.

/** How often the memory is checked, in milliseconds. */
const LOOK_MS = 50;

/** Of this process, in megabytes. */
const memory = Number(process.argv[2]);

/** What of it may be the heap: the rest is for contents on their way to the store. */
const HEAP_SHARE = 2 / 3;

// The service is gone, and nobody waits for the build. It ends at once: an orderly end would wait for the thread.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));

try {
  // When the machine has no memory left, Linux ends this process first, and not the service.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Not Linux.
}

const worker = new Worker(new URL('build-worker.ts', import.meta.url), {
  resourceLimits: { maxOldGenerationSizeMb: memory * HEAP_SHARE },
});
const resident = () => process.memoryUsage.rss() / 1024 / 1024;
const tell = (message: FromBuildProcess) => process.send?.(message);
worker.on('message', (message: BuildMessage) => {
  if (!('line' in message || 'key' in message || 'documents' in message))
    tell({ resident: resident() });
  tell(message);
});
worker.on('error', (error: NodeJS.ErrnoException) => {
  const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  tell(isTooLarge ? { tooLarge: true } : { defect: error.stack ?? String(error) });
});
process.on('message', (message: ToBuildProcess) => worker.postMessage(message));

// The limit of the heap does not count memory outside of it; this one does.
setInterval(() => {
  if (resident() > memory) tell({ tooLarge: true });
}, LOOK_MS);
