import { challengeLabelOf } from '../domains/claim.ts';
import { isWildcard } from '../domains/wildcard.ts';
import { type ChallengeRow, listChallenges, putChallenge } from '../store/acme-challenges.ts';
import { findDomainById } from '../store/domains.ts';
import type { AcmeClient, Authorization, Challenge, Order } from './acme-client.ts';
import { readProblem } from './acme-transport.ts';
import { authorityAt } from './authorities.ts';
import { type Attempt, acmeClient, goToStep } from './issuance.ts';
import { currentOrder, orderFailed, poll } from './order.ts';
import {
  type ChallengeType,
  isConnectionProblem,
  OrderFailedError,
  type Problem,
  parseProblem,
  problemTypeOf,
} from './problem.ts';

/** Chooses a challenge and stores its response, which every edge serves (RFC 8555, section 8). */
export async function startChallenge(attempt: Attempt): Promise<void> {
  const { deps, row } = attempt;
  const client = await acmeClient(attempt);
  const order = await currentOrder(attempt, client);
  if (order.status !== 'pending') return afterPending(attempt, order);
  const pending = (await client.authorizationsOf(order)).find(({ status }) => status === 'pending');
  if (!pending) {
    // Valid from an earlier order, so that this one is about to be ready; or failed, which `validate` finds.
    return goToStep(attempt, 'validate');
  }
  const own = authorityAt(deps.config.acme, row.directory_url)?.challenges ?? [];
  const configured = await usableChallenges(attempt, own);
  const type = chooseChallenge(pending, configured, parseProblem(row.last_problem));
  const challenge = pending.challenges.find((offered) => offered.type === type);
  if (!type || !challenge) {
    const offered = pending.challenges.map((one) => one.type).join(', ') || 'none';
    const detail = `It offers ${offered}; configured: ${configured.join(', ')}.`;
    throw new OrderFailedError({ type: 'noChallenge', detail, at: deps.now() });
  }
  const key_authorization = client.keyAuthorization(challenge);
  await goToStep(attempt, 'validate', {}, (trx) =>
    putChallenge(trx, {
      hostname: row.hostname,
      domain_id: row.domain_id,
      type,
      token: challenge.token,
      key_authorization,
      created_at: deps.now(),
    }),
  );
}

/**
 * The challenge types to choose from, best first. DNS-01 alone for a prepared name that is elsewhere and for a prepared
 * wildcard, since HTTP-01 and TLS-ALPN-01 would reach the old host. DNS-01 before the configured types where the
 * challenge label is delegated to the installation's zone.
 */
async function usableChallenges(
  { deps, row, signal }: Attempt,
  configured: readonly ChallengeType[],
): Promise<readonly ChallengeType[]> {
  const domain = deps.zone && (await findDomainById(deps.db, row.domain_id));
  if (!domain) return configured;
  const isElsewhere = domain.awaits_move === 1 || domain.moved_away_at !== null;
  // No look-up: the last check saw the record, and a resolver may still have the negative answer.
  const needsDns01 = isElsewhere || isWildcard(domain.hostname);
  if (domain.prepare === 1 && needsDns01) return ['dns-01'];
  const isDelegated = await deps.zone?.isDelegated(row.hostname, challengeLabelOf(domain), signal);
  return isDelegated ? ['dns-01', ...configured] : configured;
}

/**
 * The first configured type that is offered. After a connection problem, or a failed DNS-01, the first that has not
 * failed. After one that CAA records forbid, the next: they may allow one type alone (RFC 8657), and two may have failed.
 */
export function chooseChallenge(
  { challenges }: Authorization,
  configured: readonly ChallengeType[],
  last: Problem | undefined,
): ChallengeType | undefined {
  const offered = configured.filter((type) => challenges.some((one) => one.type === type));
  if (last?.type === 'caa' && last.challenge)
    return offered[(offered.indexOf(last.challenge) + 1) % offered.length];
  const others = offered.filter((type) => type !== (last?.alsoFailed ?? last?.challenge));
  const isOtherWanted = last && (isConnectionProblem(last) || last.challenge === 'dns-01');
  return isOtherWanted ? (others[0] ?? offered[0]) : offered[0];
}

/** Has the authority validate the challenge, unless it does already, and waits for the result (RFC 8555, section 7.5.1). */
export async function validate(attempt: Attempt): Promise<void> {
  const { deps, row, signal } = attempt;
  const client = await acmeClient(attempt);
  const order = await currentOrder(attempt, client);
  if (order.status !== 'pending' && order.status !== 'invalid') return afterPending(attempt, order);
  const stored = await listChallenges(deps.db, row.domain_id);
  const read = async () => (await client.authorizationsOf(order))[0];
  const before = await read();
  if (before?.status === 'pending') {
    // By type, too: an authority may give all challenges of an authorization the same token.
    const challenge = before.challenges.find(({ type, token }) =>
      stored.some((one) => one.type === type && one.token === token),
    );
    // The stored challenge is none of the authorization's any more: back to the step that chooses one.
    if (!challenge) return goToStep(attempt, 'challenge');
    if (challenge.status === 'pending') {
      await awaitShown(attempt, stored, challenge);
      await client.respondToChallenge(challenge);
    }
  }
  const after = await poll(
    read,
    (authorization) => authorization?.status !== 'pending',
    (authorization) => authorization && client.pollAfter(authorization),
    signal,
  );
  if (after?.status !== 'valid') throw validationFailed(order, after, deps.now());
  await awaitReady(attempt, client);
  await goToStep(attempt, 'finalize');
}

/**
 * HTTP-01 and TLS-ALPN-01 are read from the store when asked. Name servers of other processes get a DNS-01 record a
 * moment later, so wait for them.
 */
async function awaitShown(
  { deps, row, signal }: Attempt,
  stored: readonly ChallengeRow[],
  { type, token }: Challenge,
): Promise<void> {
  if (type !== 'dns-01') return;
  const domain = await findDomainById(deps.db, row.domain_id);
  const shown = stored.find((one) => one.type === type && one.token === token);
  if (domain && shown)
    await deps.zone?.awaitShown(challengeLabelOf(domain), shown.key_authorization, signal);
}

/** An order may be pending for a moment after its authorization is valid. */
async function awaitReady(attempt: Attempt, client: AcmeClient): Promise<void> {
  const order = await poll(
    () => currentOrder(attempt, client),
    ({ status }) => status !== 'pending',
    client.pollAfter,
    attempt.signal,
  );
  if (order.status === 'invalid') throw orderFailed(order, attempt.deps.now());
}

/** Goes on with an order that is no longer pending. */
async function afterPending(attempt: Attempt, order: Order): Promise<void> {
  if (order.status === 'invalid') {
    const client = await acmeClient(attempt);
    const [authorization] = await client.authorizationsOf(order);
    throw validationFailed(order, authorization, attempt.deps.now());
  }
  await goToStep(attempt, 'finalize');
}

/** Why a validation failed: the challenge has the problem (RFC 8555, section 7.1.5). */
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
  const problem = { type: problemTypeOf({ type, detail }), detail, at, ...challengeOf(failed) };
  return new OrderFailedError(problem);
}

function challengeOf({ type }: Challenge): { challenge?: ChallengeType } {
  const isKnown = type === 'http-01' || type === 'tls-alpn-01' || type === 'dns-01';
  return isKnown ? { challenge: type } : {};
}
