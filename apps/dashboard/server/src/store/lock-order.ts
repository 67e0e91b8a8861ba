import type { Transaction } from 'kysely';
import type { Database } from './schema.ts';

/**
 * The order in which a transaction takes locks on rows that other transactions hold while they wait for
 * more; of one kind by id. Any of them may be left out. Two transactions that keep to it never wait for each
 * other, so PostgreSQL finds no deadlock between them.
 *
 * What belongs to one of these is changed after it, and by whoever holds it: a project's members, deploys and
 * notices; a domain's checks, timeline, certificate and what is under way for it. A statement that stands alone
 * (a lease that is renewed, say) holds one row and waits for nothing, so it may leave that out.
 *
 * The clock of sites comes last, since every change of what is served has to wait for it.
 */
const KINDS = ['project', 'domain', 'webhook', 'sites'] as const;

export type Lockable = (typeof KINDS)[number];

/** What each transaction has locked, in its order. */
const locked = new WeakMap<Transaction<Database>, string[]>();

/** To be said before a lock is taken. Throws where that comes too late, which is a defect of the caller. */
export function assertLockOrder(trx: Transaction<Database>, kind: Lockable, id = ''): void {
  const name = `${KINDS.indexOf(kind)} ${kind} ${id}`;
  const names = locked.get(trx) ?? [];
  locked.set(trx, names);
  if (names.includes(name)) return;
  const last = names.at(-1);
  if (last !== undefined && last > name) {
    throw new Error(`locks cross: ${name} is taken after ${last} (store/lock-order.ts)`);
  }
  names.push(name);
}
