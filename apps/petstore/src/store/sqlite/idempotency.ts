import type { DatabaseSync } from 'node:sqlite';
import { IdempotencyKeysUnderWay } from '../../idempotency/idempotency-keys-under-way.ts';
import { decodeResult } from '../../idempotency/result.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type {
  Idempotency,
  IdempotentResult,
  IdempotentResultStore,
} from '../contract/idempotency.ts';
import type { Write } from './command.ts';
import { translateErrors } from './errors.ts';
import type { InnerCommand } from './idempotent-writes.ts';

/** Does an idempotent write. */
export type WriteIdempotently = (
  idempotency: Idempotency,
  ...command: InnerCommand
) => Promise<IdempotentResult | Refusal>;

/** Reads and writes the things of one kind. */
export interface TableDeps {
  /** The connection that reads. */
  readonly db: DatabaseSync;
  readonly write: Write;
  readonly writeIdempotently: WriteIdempotently;
}

export function idempotentWriter(write: Write): WriteIdempotently {
  const keysUnderWay = new IdempotencyKeysUnderWay();
  return (idempotency, ...command) =>
    keysUnderWay.alone(idempotency, async () => {
      const { owner, key, fingerprint, at, since, collectionUrl } = idempotency;
      const times = [at.getTime(), since.getTime()] as const;
      const request = [owner, key, fingerprint, ...times, collectionUrl] as const;
      const result = await write('idempotently', ...request, ...command);
      return isRefusal(result) ? result : decodeResult(result);
    });
}

export function sqliteIdempotentResults(db: DatabaseSync, write: Write): IdempotentResultStore {
  const isAnyOlder = db.prepare('SELECT 1 FROM idempotent_answers WHERE created_at < ? LIMIT 1');
  const placeBeyond = db.prepare(
    `SELECT place FROM idempotent_answers WHERE api_key_id = ?
     ORDER BY place DESC LIMIT 1 OFFSET ?`,
  );
  placeBeyond.setReadBigInts(true);
  return {
    async deleteBefore(instant, count) {
      // A commit empties the page caches of all processes, so nothing is written where there is nothing to delete.
      const isAny = translateErrors(() => isAnyOlder.get(instant.getTime()));
      return isAny ? write('deleteResultsBefore', instant.getTime(), count) : 0;
    },
    placeBeyond: async (owner, kept) =>
      translateErrors(() => placeBeyond.get(owner, kept)?.place as bigint | undefined),
    deleteUpTo: (owner, place, count) => write('deleteResultsUpTo', owner, place, count),
  };
}
