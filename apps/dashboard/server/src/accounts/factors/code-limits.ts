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
import type { UserRow } from '../../store/users.ts';
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
  const { db, now } = deps;
  const at = now();
  await pruneCounters(db, at);
  const keys = keysOf(user, ip, proof);
  for (const kind of ['pair', 'account'] as const) {
    const { limit, windowMs } = LIMITS[kind];
    const { count: tries, resetsAt } = await incrementCounter(db, keys[kind], at, windowMs);
    if (tries <= limit) continue;
    if (kind === 'account' && tries === limit + 1) await tellOfGuessing(deps, user, ip);
    const waitMs = resetsAt - at;
    const minutes = count(Math.ceil(waitMs / MINUTE_MS), 'minute');
    throw rateLimited(`Too many wrong codes. Use another way, or try again in ${minutes}.`, waitMs);
  }
}

/** The code was right: it does not count, and earlier mistakes from the same network are forgotten. */
export async function recordRightCode(
  { db }: Pick<LimitDeps, 'db'>,
  user: UserRow,
  ip: string,
  proof: TypedFactor,
): Promise<void> {
  const { pair, account } = keysOf(user, ip, proof);
  await deleteCounter(db, pair);
  await decrementCounter(db, account);
}

function keysOf({ id }: UserRow, ip: string, proof: TypedFactor) {
  return { pair: `${proof}-pair:${clientNetwork(ip)} ${id}`, account: `${proof}:${id}` };
}

async function tellOfGuessing(
  { db, now, accountMail, addresses }: LimitDeps,
  user: UserRow,
  ip: string,
): Promise<void> {
  const actor: Actor = { userId: null, name: 'somebody', via: 'none', ip };
  await db.transaction().execute(async (trx) => {
    await recordGuessing(trx, user.id, now());
    await writeAudit(trx, now(), actor, { action: 'factor.guessing', target: user.email });
  });
  const told = { email: user.email, ip };
  accountMail?.sendLater(async () => [codesGuessedEmail(told, LIMITS.account.limit, addresses())]);
}
