import { hash } from 'node:crypto';
import { ApiError } from '@petstore/http/errors.ts';
import { invalidRequest } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { writeAudit } from '../store/audit.ts';
import { deleteProviderSessions, type ProviderSessions } from '../store/identities.ts';
import { takeOnce } from '../store/used-once.ts';
import { CLOCK_TOLERANCE_S, type Discovered } from './discover.ts';
import { explainProviderError } from './provider-error.ts';
import type { Provider } from './providers.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** A log-out token is for now; an old one is of somebody who kept it. */
const MAX_AGE_S = 600;

/**
 * Ends the sessions of which a provider says that they have ended (OpenID Connect Back-Channel Logout 1.0, section
 * 2.6): all of a person that began with it, or those of one session of its own. API tokens go on: whoever signs out has
 * not left. Throws ApiError where the token is not a log-out token of this provider for us, or was used before.
 */
export async function endByLogoutToken(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  provider: Provider,
  token: string,
  ip: string,
): Promise<void> {
  const found = await provider.discovered().catch((cause) => {
    throw unavailable(cause);
  });
  const { sessions, jti, expiresAt } = await readLogoutToken(provider, found, token);
  const key = `jti ${provider.config.id} ${hash('sha256', jti, 'hex')}`;
  const actor: Actor = { userId: null, name: provider.config.name, via: 'system', ip };
  await db.transaction().execute(async (trx) => {
    // In the same transaction: what fails half way is done when the provider tells it again.
    if (!(await takeOnce(trx, key, { now: now(), expiresAt })))
      throw invalidRequest('logout_token: this one was used before.');
    for (const { email, count } of await deleteProviderSessions(trx, sessions))
      await writeAudit(trx, now(), actor, {
        action: 'session.end',
        target: email,
        details: { count, provider: provider.config.id },
      });
  });
}

async function readLogoutToken(
  { config }: Provider,
  { keys, algorithms, issuer }: Discovered,
  token: string,
): Promise<{ sessions: ProviderSessions; jti: string; expiresAt: number }> {
  const { jwtVerify, errors } = await import('jose');
  const verified = await jwtVerify(token, keys, {
    issuer,
    audience: config.clientId,
    algorithms: [...algorithms],
    clockTolerance: CLOCK_TOLERANCE_S,
    maxTokenAge: MAX_AGE_S,
    requiredClaims: ['iat', 'exp', 'jti'],
  }).catch((error) => {
    if (error instanceof errors.JOSEError && error.code !== 'ERR_JWKS_TIMEOUT')
      throw refused(explainProviderError(error));
    throw unavailable(error);
  });
  const { payload, protectedHeader } = verified;
  // Providers of before the final specification send `JWT`, or none.
  if (!/^((application\/)?logout\+jwt|jwt)$/i.test(protectedHeader.typ ?? 'jwt'))
    throw refused('it is a JWT of another kind.');
  const { sub, sid, jti, exp = 0, events } = payload;
  const event = typeof events === 'object' && events !== null ? (events as object) : {};
  const said = Object.hasOwn(event, EVENT) ? (event as Record<string, unknown>)[EVENT] : undefined;
  if (typeof said !== 'object' || said === null) throw refused('it tells of no log-out.');
  // So that an ID token does not pass for one.
  if (payload.nonce !== undefined) throw refused('it has a nonce.');
  if (typeof jti !== 'string' || jti === '') throw refused('its jti is not a text.');
  const subject = typeof sub === 'string' && sub !== '' ? sub : undefined;
  const session = typeof sid === 'string' && sid !== '' ? sid : undefined;
  if (subject === undefined && session === undefined) throw refused('it has neither sub nor sid.');
  return {
    sessions: { issuer, subject, sid: session },
    jti,
    expiresAt: (exp + CLOCK_TOLERANCE_S + 1) * 1_000,
  };
}

const refused = (why: string) => invalidRequest(`logout_token: ${why}`);

const unavailable = (cause: unknown) =>
  new ApiError('unavailable', "The provider's keys cannot be read right now.", {
    cause,
    headers: { 'retry-after': '5' },
  });
