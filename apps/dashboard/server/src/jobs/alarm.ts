import { setTimeout as sleep } from 'node:timers/promises';

/** What wakes whoever waits for work. */
export interface Alarm {
  /** There may be work: look now. */
  ring(): void;
  /**
   * To be set before looking for work: what rings while it is looked ends the wait that follows. Gives that wait,
   * of so many milliseconds at most.
   */
  set(): (ms: number) => Promise<void>;
}

export function createAlarm(): Alarm {
  let bell = new AbortController();
  return {
    ring() {
      const rung = bell;
      bell = new AbortController();
      rung.abort();
    },
    set() {
      const { signal } = bell;
      return (ms) => sleep(ms, undefined, { signal }).catch(() => {});
    },
  };
}
