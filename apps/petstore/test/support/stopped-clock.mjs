import { existsSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

// In the threads of a program time stands still while there is the file that STOPPED_CLOCK names. So the thread that
// writes waits for a lock for as long as a test wants, and not for two seconds.

if (!isMainThread) {
  const now = performance.now.bind(performance);
  let stoppedFor = 0;
  let shown = now();
  performance.now = () => {
    const at = now() - stoppedFor;
    if (existsSync(process.env.STOPPED_CLOCK)) stoppedFor += at - shown;
    else shown = at;
    return shown;
  };
}
