import { clientNetwork } from '@petstore/http/networks.ts';
import { count } from '@petstore/service/text.ts';
import { rateLimited } from '../../api-error.ts';
import type { Actor } from '../../audit/actor.ts';
import type { Deps } from '../../deps.ts';
import { writeAudit } from '../../store/audit.ts';
import { recordGuessing } from '../../store/code-guesses.ts';
import {
  decrementCounter,
  deleteCounter,
  incrementCounter,
  pruneCounters,
} from '../../store/rate-counters.ts';
import type { Trx } from '../../store/schema.ts';
import { lockUser, type UserRow } from '../../store/users.ts';
import { limitRate } from '../sign-in-limits.ts';
import { codesGuessedEmail } from './factor-emails.ts';

/** What is typed after the password was right. */
export type TypedFactor = 'code' | 'recovery_code';

const MINUTE_MS = 60_000;

/**
 * Wrong codes of one account. At any moment three codes of a million are right: ten an hour, from wherever they come,
 * find one in four years of trying without a pause. `pair` stops the one who mistypes before that, without the others.
 */
const LIMITS = {
  pair: { limit: 5, windowMs: 15 * MINUTE_MS },
  account: { limit: 10, windowMs: 60 * MINUTE_MS },
} as const;

type LimitDeps = Pick<Deps, 'db' | 'now' | 'accountMail' | 'addresses'>;

/**
 * Counts a code before it is checked. Throws ApiError `rate_limited` when there were too many. Whoever gets here knows
 * the password, so the user is told the first time that the account's own limit is passed.
 */
export async function limitCodes(
  deps: LimitDeps,
  user: UserRow,
  ip: string,
  proof: TypedFactor,
): Promise<void> {
  const { db, now, accountMail, addresses } = deps;
  const at = now();
  await pruneCounters(db, at);
  const keys = keysOf(user, ip, proof);
  await limitRate(db, keys.pair, LIMITS.pair, at, tooMany);
  const { limit, windowMs } = LIMITS.account;
  // Where recording fails, the count is undone with it: the next try is the first beyond the limit again.
  const { count: tries, resetsAt } = await db.transaction().execute(async (trx) => {
    await lockUser(trx, user.id);
    const counted = await incrementCounter(trx, keys.account, at, windowMs);
    if (counted.count === limit + 1) await recordTries(trx, at, user, ip);
    return counted;
  });
  if (tries <= limit) return;
  if (tries === limit + 1) {
    const told = { email: user.email, ip };
    accountMail?.sendLater(async () => [codesGuessedEmail(told, limit, addresses())]);
  }
  throw rateLimited(tooMany(resetsAt - at), resetsAt - at);
}

/**
 * The code was right: it does not count, and earlier mistakes from the same network are forgotten. `trx`: of what the
 * code is used for, with the user locked.
 */
export async function recordRightCode(
  trx: Trx,
  user: UserRow,
  ip: string,
  proof: TypedFactor,
): Promise<void> {
  const { pair, account } = keysOf(user, ip, proof);
  await deleteCounter(trx, pair);
  await decrementCounter(trx, account);
}

function keysOf({ id }: UserRow, ip: string, proof: TypedFactor) {
  return { pair: `${proof}-pair:${clientNetwork(ip)} ${id}`, account: `${proof}:${id}` };
}

function tooMany(waitMs: number): string {
  const minutes = count(Math.ceil(waitMs / MINUTE_MS), 'minute');
  return `Too many wrong codes. Use another way, or try again in ${minutes}.`;
}

async function recordTries(trx: Trx, at: number, user: UserRow, ip: string): Promise<void> {
  const actor: Actor = { userId: null, name: 'somebody', via: 'none', ip };
  await recordGuessing(trx, user.id, at);
  await writeAudit(trx, at, actor, { action: 'factor.guessing', target: user.email });
}
