import sql from 'sql-template-tag';
import { CoalescedCall } from '../../coalesced-call.ts';
import type { Clients } from './client.ts';

/** How many commits' events get their ids in one transaction. It takes some ten milliseconds. */
const MOST = 1_000;

/**
 * Gives events of the service's own log their ids. A change leaves its events without ids, in `event_inbox`, so that it
 * waits for no other change; whoever reads the log, in whatever process, first has those numbered.
 */
export class EventNumbering extends CoalescedCall<void> {
  /** `next` resolves when all that were committed before the call have their ids. */
  constructor({ reads, writes }: Clients) {
    super(async () => {
      const inbox = await reads.row<{ isAny: boolean }>(sql`
        SELECT EXISTS (SELECT FROM event_inbox
                       WHERE place >= (SELECT place FROM event_inbox_start)) AS "isAny"`);
      if (!inbox?.isAny) return;
      for (let numbered = MOST; numbered === MOST; ) {
        const row = await writes.row<{ numbered: number }>(sql`
          SELECT petstore_number_events(${MOST}) AS numbered`);
        numbered = row?.numbered ?? 0;
      }
    });
  }
}
