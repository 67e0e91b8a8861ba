import sql from 'sql-template-tag';
import type { FaultStore } from '../contract/fault-store.ts';
import type { Clients } from './client.ts';

interface Count {
  readonly counter: string;
  readonly number: number;
}

/** What a process asks the database about a sandbox, it asks the primary: a standby may be behind. */
export function postgresFaults({ reads, writes }: Clients): FaultStore {
  return {
    async rules(sandbox) {
      const row = await reads.row<{ faults: string | null }>(
        sql`SELECT faults FROM sandboxes WHERE id = ${sandbox}`,
      );
      return row?.faults ?? undefined;
    },

    replaceRules: (sandbox, expected = null as never, rules = null as never, forgotten) =>
      writes.transaction(async (db) => {
        const replaced = await db.execute(sql`
          UPDATE sandboxes SET faults = ${rules}
          WHERE id = ${sandbox} AND faults IS NOT DISTINCT FROM ${expected}::text
            AND key_hash IS NOT NULL`);
        if (replaced === 0) return false;
        await db.execute(sql`
          DELETE FROM sandbox_fault_counts
          WHERE sandbox = ${sandbox} AND counter = ANY (${forgotten})`);
        return true;
      }),

    async count(sandbox, counters) {
      // In one order for everybody, so that two requests never wait for each other.
      const rows = await writes.run((db) =>
        db.rows<Count>(sql`
          INSERT INTO sandbox_fault_counts (sandbox, counter, number)
          SELECT sandboxes.id, wanted.counter, 1
          FROM sandboxes, unnest(${[...counters].sort()}::text[]) AS wanted (counter)
          WHERE sandboxes.id = ${sandbox} AND key_hash IS NOT NULL
          ORDER BY wanted.counter
          ON CONFLICT (sandbox, counter) DO UPDATE
          SET number = sandbox_fault_counts.number + 1
          RETURNING counter, number`),
      );
      return byCounter(rows);
    },

    counts: async (sandbox) =>
      byCounter(
        await reads.run((db) =>
          db.rows<Count>(
            sql`SELECT counter, number FROM sandbox_fault_counts WHERE sandbox = ${sandbox}`,
          ),
        ),
      ),
  };
}

function byCounter(rows: readonly Count[]): Map<string, number> {
  return new Map(rows.map(({ counter, number }) => [counter, number]));
}
