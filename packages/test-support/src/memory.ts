import { readFileSync } from 'node:fs';
import { finished, type Outcome, type Program } from './program.ts';

/** Waits for the end of a program, and tells how much memory it had at most, in MB (Linux). */
export async function memoryOf(program: Program): Promise<Outcome & { megabytes: number }> {
  let kilobytes = 0;
  const timer = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${program.child.pid}/status`, 'utf8');
      kilobytes = Math.max(kilobytes, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0));
    } catch {
      // It has just ended.
    }
  }, 10);
  const outcome = await finished(program).finally(() => clearInterval(timer));
  return { ...outcome, megabytes: kilobytes / 1024 };
}
