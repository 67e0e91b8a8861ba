import type { DatabaseSync } from 'node:sqlite';

/** The writes of keys that the service itself does again and again. */
export interface KeyWrites {
  /** When keys were last used: ids, and at the same positions times in milliseconds since 1970. */
  noteKeyUses(ids: readonly string[], times: readonly number[]): 'done';
}

export function prepareKeyWrites(db: DatabaseSync): KeyWrites {
  const update = db.prepare(
    `UPDATE api_keys SET last_used_at = :at
     WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :at)`,
  );
  return {
    noteKeyUses(ids, times) {
      for (const [i, id] of ids.entries()) update.run({ id, at: times[i] ?? null });
      return 'done';
    },
  };
}
