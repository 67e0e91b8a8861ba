import type { DatabaseSync } from 'node:sqlite';
import type { FaultStore } from '../contract/fault-store.ts';
import type { Write } from './command.ts';
import { translateErrors } from './errors.ts';

export function sqliteFaults(db: DatabaseSync, write: Write): FaultStore {
  const selectRules = db.prepare('SELECT faults FROM sandboxes WHERE id = ?');
  const selectCounts = db.prepare(
    'SELECT counter, number FROM sandbox_fault_counts WHERE sandbox = ?',
  );
  return {
    rules: (sandbox) =>
      translateErrors(() => (selectRules.get(sandbox)?.faults ?? undefined) as string | undefined),
    replaceRules: (sandbox, expected, rules, forgotten) =>
      write('replaceFaults', sandbox, expected ?? null, rules ?? null, forgotten),
    async count(sandbox, counters) {
      const numbers = await write('countFaults', sandbox, counters);
      return new Map(counters.map((counter, at) => [counter, numbers[at] ?? 0]));
    },
    counts: async (sandbox) =>
      new Map(
        translateErrors(() => selectCounts.all(sandbox)).map(({ counter, number }) => [
          String(counter),
          Number(number),
        ]),
      ),
  };
}
