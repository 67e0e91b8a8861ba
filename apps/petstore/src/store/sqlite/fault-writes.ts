import type { DatabaseSync } from 'node:sqlite';

/** The writes of the faults of sandboxes, each within the transaction of its group: those of FaultStore. */
export interface FaultWrites {
  replaceFaults(
    sandbox: string,
    expected: string | null,
    rules: string | null,
    forgotten: readonly string[],
  ): boolean;
  /** The numbers, in the order of the counters; 0 where there is no such sandbox. */
  countFaults(sandbox: string, counters: readonly string[]): number[];
}

export function prepareFaultWrites(db: DatabaseSync): FaultWrites {
  const replace = db.prepare(
    `UPDATE sandboxes SET faults = ?3 WHERE id = ?1 AND faults IS ?2 AND key_hash IS NOT NULL`,
  );
  const forget = db.prepare('DELETE FROM sandbox_fault_counts WHERE sandbox = ? AND counter = ?');
  const count = db.prepare(
    `INSERT INTO sandbox_fault_counts (sandbox, counter, number)
     SELECT id, ?2, 1 FROM sandboxes WHERE id = ?1 AND key_hash IS NOT NULL
     ON CONFLICT DO UPDATE SET number = number + 1 RETURNING number`,
  );
  return {
    replaceFaults(sandbox, expected, rules, forgotten) {
      if (replace.run(sandbox, expected, rules).changes === 0) return false;
      for (const counter of forgotten) forget.run(sandbox, counter);
      return true;
    },
    countFaults: (sandbox, counters) =>
      counters.map((counter) => Number(count.get(sandbox, counter)?.number ?? 0)),
  };
}
