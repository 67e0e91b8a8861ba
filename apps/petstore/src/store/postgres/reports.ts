import sql from 'sql-template-tag';
import type { ChallengeRun } from '../../report/challenge-run.ts';
import { type RecordBounds, roomOf } from '../../report/record-bounds.ts';
import type {
  RequestBatch,
  UnnumberedRequest,
  UnwrittenBatch,
} from '../../report/recorded-request.ts';
import type { ReportStore } from '../contract/report-store.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import type { Clients } from './client.ts';

export function postgresReports({ reads, writes }: Clients): ReportStore {
  return {
    async record(batches, bounds) {
      // Always in the same order, so that two processes do not wait for each other.
      const inOrder = batches.toSorted((a, b) => (a.sandbox < b.sandbox ? -1 : 1));
      const unwritten: UnwrittenBatch[] = [];
      let away: StoreUnavailableError | undefined;
      for (const batch of inOrder) {
        try {
          // Where the database cannot work, the next batch would wait as long for nothing.
          if (away) throw away;
          await recordBatch(writes, batch, bounds);
        } catch (error) {
          if (error instanceof StoreUnavailableError) away = error;
          unwritten.push({ batch, error });
        }
      }
      return unwritten;
    },
    async requests(sandbox) {
      const rows = await reads.run((db) =>
        db.rows<{ number: bigint; request: string }>(sql`
          SELECT number, request FROM sandbox_requests WHERE sandbox = ${sandbox} ORDER BY number`),
      );
      return rows.map(({ number, request }) => ({
        number: Number(number),
        ...(JSON.parse(request) as UnnumberedRequest),
      }));
    },
    async run(sandbox) {
      const row = await reads.row<{ run: string }>(
        sql`SELECT run FROM sandbox_challenges WHERE sandbox = ${sandbox}`,
      );
      return row && (JSON.parse(row.run) as ChallengeRun);
    },
    async keepRun(sandbox, run) {
      const changed = await writes.run((db) =>
        db.execute(sql`
          INSERT INTO sandbox_challenges (sandbox, run)
          SELECT id, ${JSON.stringify(run)}::text FROM sandboxes
          WHERE id = ${sandbox} AND key_hash IS NOT NULL
          ON CONFLICT (sandbox) DO UPDATE SET run = excluded.run`),
      );
      return changed > 0;
    },
  };
}

async function recordBatch(
  writes: Clients['writes'],
  { sandbox, lost, requests }: RequestBatch,
  { count, bytes }: RecordBounds,
): Promise<void> {
  const texts = requests.map((request) => JSON.stringify(request));
  await writes.transaction(async (db) => {
    // Behind the lock, the next statement sees the numbers that others have given.
    const known = await db.row(sql`
      SELECT 1 FROM sandboxes WHERE id = ${sandbox} AND key_hash IS NOT NULL FOR UPDATE`);
    if (!known) return;
    await db.execute(sql`
      INSERT INTO sandbox_requests (sandbox, number, log_bytes, request)
      SELECT ${sandbox}, place + ${lost}::bigint + coalesce(last.number, 0),
             sum(room) OVER (ORDER BY place)::bigint + coalesce(last.log_bytes, 0), request
      FROM unnest(${texts}::text[], ${texts.map(roomOf)}::bigint[])
        WITH ORDINALITY AS a (request, room, place)
      LEFT JOIN (SELECT number, log_bytes FROM sandbox_requests WHERE sandbox = ${sandbox}
                 ORDER BY number DESC LIMIT 1) AS last ON true`);
    // Up to the first that is within the bounds. What came before is gone already, so it is found at once.
    await db.execute(sql`
      DELETE FROM sandbox_requests WHERE sandbox = ${sandbox} AND number < (
        SELECT kept.number FROM sandbox_requests AS kept,
          (SELECT number, log_bytes FROM sandbox_requests WHERE sandbox = ${sandbox}
           ORDER BY number DESC LIMIT 1) AS last
        WHERE sandbox = ${sandbox} AND kept.number > last.number - ${count}::bigint
          AND kept.log_bytes > last.log_bytes - ${bytes}::bigint
        ORDER BY kept.number LIMIT 1)`);
  });
}
