import { listChallenges, putChallenge } from '../store/acme-challenges.ts';
import type { AuthorityClient, Authorization, Challenge, Order } from './acme/authority-client.ts';
import { readProblem } from './acme/problem-document.ts';
import { type Attempt, authorityOf, reach } from './attempt.ts';
import { currentOrder, orderFailed } from './order.ts';
import { poll } from './poll.ts';
import {
  type ChallengeType,
  isOfConnection,
  OrderFailedError,
  type Problem,
  parseProblem,
  typeOf,
} from './problem.ts';

/** Puts the answer to a challenge where every edge finds it. */
export async function startChallenge(attempt: Attempt): Promise<boolean> {
  const { deps, row } = attempt;
  const authority = await authorityOf(attempt);
  const order = await currentOrder(attempt, authority);
  if (order.status !== 'pending') return leavePending(attempt, order);
  const pending = (await authority.authorizationsOf(order)).find(
    ({ status }) => status === 'pending',
  );
  if (!pending) {
    // Valid from before: the order is about to be ready. Or failed, which `validate` tells.
    await reach(attempt, 'validate');
    return false;
  }
  const configured = deps.config.acme.challenges;
  const type = chooseChallenge(pending, configured, parseProblem(row.last_problem));
  const challenge = pending.challenges.find((offered) => offered.type === type);
  if (!type || !challenge) {
    const offered = pending.challenges.map((one) => one.type).join(', ') || 'none';
    const detail = `It offers ${offered}; configured: ${configured.join(', ')}.`;
    throw new OrderFailedError({ type: 'noChallenge', detail, at: deps.now() });
  }
  const key_authorization = await authority.keyAuthorization(challenge);
  await reach(attempt, 'validate', {}, (trx) =>
    putChallenge(trx, {
      hostname: row.hostname,
      domain_id: row.domain_id,
      type,
      token: challenge.token,
      key_authorization,
      created_at: deps.now(),
    }),
  );
  return false;
}

/** The first of the configured ones that is offered; another one where that failed last for its port. */
function chooseChallenge(
  { challenges }: Authorization,
  configured: readonly ChallengeType[],
  last: Problem | undefined,
): ChallengeType | undefined {
  const offered = configured.filter((type) => challenges.some((one) => one.type === type));
  const others = offered.filter((type) => type !== (last?.alsoFailed ?? last?.challenge));
  return last && isOfConnection(last) ? (others[0] ?? offered[0]) : offered[0];
}

/** Has the authority look, unless it does already, and waits for what it finds. */
export async function validate(attempt: Attempt): Promise<boolean> {
  const { deps, row, signal } = attempt;
  const authority = await authorityOf(attempt);
  const order = await currentOrder(attempt, authority);
  if (order.status !== 'pending' && order.status !== 'invalid') return leavePending(attempt, order);
  const ours = await listChallenges(deps.db, row.domain_id);
  const read = async () => (await authority.authorizationsOf(order))[0];
  const seen = await read();
  if (seen?.status === 'pending') {
    // By type, too: an authority may give all challenges of an authorization one token.
    const challenge = seen.challenges.find(({ type, token }) =>
      ours.some((one) => one.type === type && one.token === token),
    );
    if (!challenge) {
      await reach(attempt, 'challenge');
      return false;
    }
    if (challenge.status === 'pending') await authority.answerChallenge(challenge);
  }
  const found = await poll(
    read,
    (authorization) => authorization?.status !== 'pending',
    (authorization) => authorization && authority.pollAfter(authorization),
    signal,
  );
  if (found?.status !== 'valid') throw validationFailed(order, found, deps.now());
  await awaitReady(attempt, authority);
  await reach(attempt, 'finalize');
  return false;
}

/** An order may be pending for a moment after its authorization is valid. */
async function awaitReady(attempt: Attempt, authority: AuthorityClient): Promise<void> {
  const order = await poll(
    () => currentOrder(attempt, authority),
    ({ status }) => status !== 'pending',
    authority.pollAfter,
    attempt.signal,
  );
  if (order.status === 'invalid') throw orderFailed(order, attempt.deps.now());
}

/** An order that got on while nobody looked. */
async function leavePending(attempt: Attempt, order: Order): Promise<boolean> {
  if (order.status === 'invalid') {
    const authority = await authorityOf(attempt);
    const [authorization] = await authority.authorizationsOf(order);
    throw validationFailed(order, authorization, attempt.deps.now());
  }
  await reach(attempt, 'finalize');
  return false;
}

/** What the authority found: the problem stands in the challenge (RFC 8555, section 7.1.5). */
function validationFailed(
  order: Order,
  authorization: Authorization | undefined,
  at: number,
): OrderFailedError {
  const failed = authorization?.challenges.find((challenge) => challenge.error !== undefined);
  if (!failed) {
    if (order.error) return orderFailed(order, at);
    const detail = `The authorization is ${authorization?.status ?? 'missing'}.`;
    return new OrderFailedError({ type: 'orderGone', detail, at });
  }
  const { type, detail } = readProblem(failed.error, 0);
  const problem = { type: typeOf({ type, detail }), detail, at, ...challengeOf(failed) };
  return new OrderFailedError(problem);
}

function challengeOf({ type }: Challenge): { challenge?: ChallengeType } {
  return type === 'http-01' || type === 'tls-alpn-01' ? { challenge: type } : {};
}
