import type { Trx } from './schema.ts';

/**
 * The order in which a transaction locks rows; rows of one kind by id. Any kind may be left out. Transactions that keep
 * to it never wait in a circle, so PostgreSQL finds no deadlock between them.
 *
 * Lock one of these before changing what belongs to it: a user's sessions, tokens and memberships; a group's members and
 * roles; a project's members, deploys, branch previews, versions and notices; a domain's checks, timeline, certificate
 * and issuance. A single statement (renewing a lease, say) locks one row and waits for no other, so it may skip that.
 *
 * The clock of sites comes last, since every change of what is served has to wait for it. It is also held while a name
 * is verified, so that two claims of one name are not verified at once.
 */
const KINDS = ['user', 'group', 'project', 'token', 'domain', 'webhook', 'sites'] as const;

export type Lockable = (typeof KINDS)[number];

/** The locks of each transaction, in its order. */
const locked = new WeakMap<Trx, string[]>();

/** Call it before taking a lock. Throws where the order is violated, which is a defect of the caller. */
export function assertLockOrder(trx: Trx, kind: Lockable, id = ''): void {
  const name = `${KINDS.indexOf(kind)} ${kind} ${id}`;
  const names = locked.get(trx) ?? [];
  locked.set(trx, names);
  if (names.includes(name)) return;
  const last = names.at(-1);
  if (last !== undefined && last > name) {
    throw new Error(`lock order: ${name} is locked after ${last} (store/lock-order.ts)`);
  }
  names.push(name);
}

/** Locks rows of one kind in the order of their ids; those that are gone are left out. */
export async function lockInOrder<T>(
  ids: readonly string[],
  lock: (id: string) => Promise<T | undefined>,
): Promise<T[]> {
  const locked: T[] = [];
  for (const id of [...new Set(ids)].sort()) {
    const row = await lock(id);
    if (row) locked.push(row);
  }
  return locked;
}
