import { readFileSync } from 'node:fs';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { childrenOf } from '@petstore/test-support/program.ts';
import { timeUntil } from '@petstore/test-support/within.ts';

// Builds that last for as long as a test needs, whatever the machine: their processes stand still (SIGSTOP, Linux).
// A document that takes as long would have to be built, too.

/**
 * Ends the processes that wait for another build, those of earlier tests too: each build that begins from now on
 * starts one.
 */
export async function endIdleBuilders(): Promise<void> {
  const idle = await builders();
  for (const pid of idle) signal(pid, 'SIGKILL');
  // A child is listed until Node has heard of its end: until then a build might be given to it.
  await timeUntil(async () => {
    const children = await childrenOf(process.pid);
    return !idle.some((pid) => children.includes(pid));
  });
}

/**
 * Waits until so many builds of services in this process are under way, and holds them: each goes on when one of the
 * functions that it returns is called, or the test ends. Call `endIdleBuilders` before the builds begin.
 */
export async function holdBuilds(t: Ending, count: number): Promise<(() => void)[]> {
  const held = new Set<number>();
  await timeUntil(async () => {
    for (const pid of await builders()) {
      signal(pid, 'SIGSTOP');
      held.add(pid);
    }
    return held.size >= count;
  });
  const release = [...held].map((pid) => () => signal(pid, 'SIGCONT'));
  for (const one of release) cleanUp(t, one);
  return release;
}

/** The processes in which services of this process build. */
async function builders(): Promise<number[]> {
  const children = await childrenOf(process.pid);
  return children.filter((pid) => commandOf(pid).includes('build-process.ts'));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // It has just ended.
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
}
