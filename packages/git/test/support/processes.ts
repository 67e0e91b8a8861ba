import { readdirSync, readFileSync } from 'node:fs';

export interface RunningProcess {
  readonly pid: number;
  /** As every user of the machine sees them. */
  readonly args: string;
  /** As its own user alone does. */
  readonly env: string;
  /** The most memory that it had at once. */
  readonly peakBytes: number;
}

/** The processes that work for a folder: Linux's, by their environment. */
export function processesOf(folder: string): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'latin1');
        const [args, env] = [read('cmdline'), read('environ')];
        if (!env.includes(folder)) return [];
        const peak = /^VmHWM:\s+(\d+) kB$/m.exec(read('status'))?.[1];
        // It has ended since: nothing of its memory is told any more.
        if (peak === undefined) return [];
        const peakBytes = Number(peak) * 1_024;
        return [{ pid: Number(pid), args, env, peakBytes }];
      } catch {
        // It has ended, or is another user's.
        return [];
      }
    });
}
