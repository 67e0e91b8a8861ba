import { closeSync, openSync } from 'node:fs';

/** Does something while this process has no file descriptor left. Call it where few are allowed: `ulimit -n 64`. */
export async function withoutDescriptors<T>(work: () => Promise<T>): Promise<T> {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {}
  try {
    return await work();
  } finally {
    for (const descriptor of taken) closeSync(descriptor);
  }
}
