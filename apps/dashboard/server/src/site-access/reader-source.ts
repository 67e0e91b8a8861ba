import { concurrencyLimit } from '@petstore/service/concurrency-limit.ts';
import { type PasswordCost, verifyPassword } from '../accounts/passwords.ts';
import { scopesOf } from '../accounts/permissions.ts';
import { hashSecret, makeSecret } from '../accounts/secrets.ts';
import { TOKEN_PREFIX, TOUCH_MS } from '../accounts/tokens.ts';
import type {
  AccessDecision,
  AccessSource,
  Credential,
  NewSession,
  SessionScope,
} from '../edge/access/access-source.ts';
import type { Db, NewRow } from '../store/schema.ts';
import { findSiteAccess, hasSiteKey, mayAccountRead } from '../store/site-access.ts';
import {
  deleteSiteSession,
  findSiteSession,
  findUserOfSession,
  insertSiteSession,
  takeLink,
  takeTicket,
} from '../store/site-sessions.ts';
import { findToken, touchToken } from '../store/tokens.ts';
import { PasswordLimits } from './password-limits.ts';
import { turnsOfNetworks } from './turns-of-networks.ts';

/** A reader's session ends after this time, whatever else would end it; where they still may read, signing in again is quick. */
const LIFETIME_MS = 7 * 86_400_000;

/** Passwords of sites that a process checks at a time: one of the two places that all passwords have. The others wait. */
const MAX_CHECKED = 1;
const MAX_WAITING = 16;

/** Those of one network of which one is checked or counted at a time, so that a flood of one takes one place of the above. */
const MAX_WAITING_OF_NETWORK = 15;

class BusyError extends Error {}

interface SourceDeps {
  readonly db: Db;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  readonly passwordCost: PasswordCost;
  /** Lets this process itself read every site, as a token; undefined: nothing does. */
  readonly ownPass?: string;
}

/** The queries of the edge about who may read private sites. */
export function readerSource({ db, now, passwordCost, ownPass }: SourceDeps): AccessSource {
  const limits = new PasswordLimits(db, now);
  const busy = () => new BusyError();
  const limited = concurrencyLimit(MAX_CHECKED, MAX_WAITING, busy);
  const inTurn = turnsOfNetworks(MAX_WAITING_OF_NETWORK, busy);

  const begin = async (
    within: Db,
    { projectId, host }: SessionScope,
    by: Pick<NewRow<'site_sessions'>, 'password_id' | 'session_id' | 'key_id'>,
    readUntil?: number,
  ): Promise<NewSession> => {
    const secret = makeSecret();
    const at = now();
    const endsAt = readUntil ?? at + LIFETIME_MS;
    await insertSiteSession(within, {
      ...{ token_hash: hashSecret(secret), project_id: projectId, host, ...by },
      ...{ created_at: at, expires_at: endsAt },
    });
    return { secret, lifetimeMs: endsAt - at };
  };

  const judgeSession = async (
    projectId: string,
    { secret, host }: Extract<Credential, { kind: 'session' }>,
  ): Promise<AccessDecision> => {
    const session = await findSiteSession(db, { projectId, host }, hashSecret(secret), now());
    // A key that is removed takes its sessions along.
    if (!session || session.key_id !== null) return session ? 'allowed' : 'unknown';
    if (session.password_id !== null) {
      const access = await findSiteAccess(db, projectId);
      return access?.password_id === session.password_id ? 'allowed' : 'unknown';
    }
    const user = await findUserOfSession(db, session.session_id ?? '', now());
    if (!user) return 'unknown';
    return (await mayAccountRead(db, projectId, user)) ? 'allowed' : 'stranger';
  };

  const judgeToken = async (projectId: string, secret: string): Promise<AccessDecision> => {
    // By its hash, so that no time tells how much of it is right.
    if (ownPass !== undefined && hashSecret(secret) === hashSecret(ownPass)) return 'allowed';
    if (!secret.startsWith(TOKEN_PREFIX)) return 'unknown';
    const found = await findToken(db, hashSecret(secret), now());
    if (!found) return 'unknown';
    const { token, user } = found;
    const isElsewhere = token.project_id !== null && token.project_id !== projectId;
    if (isElsewhere || !(await mayAccountRead(db, projectId, user))) return 'stranger';
    if (!scopesOf(token).includes('read')) return 'scope';
    if (now() - (token.last_used_at ?? 0) >= TOUCH_MS) await touchToken(db, token.id, now());
    return 'allowed';
  };

  return {
    now,

    async judge(projectId, credential) {
      switch (credential.kind) {
        case 'session':
          return judgeSession(projectId, credential);
        case 'token':
          return judgeToken(projectId, credential.secret);
        case 'key':
          return (await hasSiteKey(db, projectId, credential.id)) ? 'allowed' : 'unknown';
      }
    },

    async signInWithPassword(scope, password, network) {
      const access = await findSiteAccess(db, scope.projectId);
      if (!access?.password_hash) return { refused: 'wrong' };
      const { password_hash: phc, password_id } = access;
      try {
        return await inTurn(network, async () => {
          const waitMs = await limits.take(scope.projectId, network);
          if (waitMs > 0) return { refused: 'too_many', waitMs } as const;
          let isWrong = false;
          try {
            isWrong = !(await limited(() => verifyPassword(password, phc, passwordCost)));
          } finally {
            // What was not looked at counts as little as what was right.
            if (!isWrong) await limits.giveBack(scope.projectId, network);
          }
          if (isWrong) return { refused: 'wrong' } as const;
          return begin(db, scope, { password_id, session_id: null, key_id: null });
        });
      } catch (error) {
        if (error instanceof BusyError) return { refused: 'busy' };
        throw error;
      }
    },

    // One transaction takes the ticket, or the link, and stores the session: after an error it is still good.
    redeemTicket: (scope, ticket, state) =>
      db.transaction().execute(async (trx) => {
        const row = await takeTicket(trx, hashSecret(ticket));
        const isGood =
          row?.project_id === scope.projectId &&
          row.host === scope.host &&
          row.state === state &&
          row.expires_at > now();
        if (!isGood) return undefined;
        return begin(trx, scope, { session_id: row.session_id, password_id: null, key_id: null });
      }),

    redeemLink: (scope, { keyId, hash, expiresAt, endsAt }) =>
      db.transaction().execute(async (trx) => {
        const at = now();
        if (endsAt <= at || !(await takeLink(trx, { hash, expiresAt }, at))) return undefined;
        return begin(trx, scope, { key_id: keyId, password_id: null, session_id: null }, endsAt);
      }),

    endSession: (scope, secret) => deleteSiteSession(db, scope, hashSecret(secret)),
  };
}
