import { hash, randomBytes } from 'node:crypto';
import { canonicalHost } from '../host.ts';
import type { EdgeRequest, RequestTarget } from '../http/edge-request.ts';
import type { EdgeResponse } from '../http/response.ts';
import { redirectTo } from './access-responses.ts';
import type { AccessSource, SessionScope } from './access-source.ts';
import {
  attemptOf,
  clearAttempt,
  clearSession,
  sessionSecretOf,
  setAttempt,
  setSession,
} from './cookies.ts';
import { localPath } from './paths.ts';
import { TokenProblem, verifySignedToken } from './signed-token.ts';
import type { SiteAccess } from './site-access.ts';

/** A form: a password and a path. In bytes. */
const MAX_FORM_BYTES = 16_384;

/** In characters. */
const MAX_PASSWORD_LENGTH = 200;

/** Where someone signs in, and what they send. */
export interface SignInRequest {
  readonly request: EdgeRequest;
  readonly target: RequestTarget;
  readonly access: SiteAccess;
  readonly scope: SessionScope;
}

/** Why nobody was signed in, to be shown on the sign-in page. */
export interface Refused {
  readonly status: 400 | 401 | 403 | 413 | 429 | 503;
  readonly problem: string;
  readonly to: string;
  readonly retryAfterS?: number;
}

/** Signs visitors in: each function exchanges what they bring for a session of this host alone. */
export function signIns(source: AccessSource) {
  const query = ({ target }: SignInRequest) => new URLSearchParams(target.query);

  /** The form of the shared password. */
  const withPassword = async (asked: SignInRequest): Promise<EdgeResponse | Refused> => {
    const { request, access, scope } = asked;
    if (!isOwnForm(asked))
      return refuse(403, 'The form was sent from another site. Please sign in here.', '/');
    const body = await request.readBody(MAX_FORM_BYTES);
    if (!body) return refuse(413, 'That was too long.', '/');
    const form = new URLSearchParams(body.toString());
    const to = localPath(form.get('to'));
    const password = form.get('password') ?? '';
    if (!access.hasPassword) return refuse(401, 'This site has no password any more.', to);
    if (password === '' || password.length > MAX_PASSWORD_LENGTH)
      return refuse(401, 'The password is wrong.', to);
    const result = await source.signInWithPassword(scope, password, request.client());
    if (!('refused' in result))
      return redirectTo(access, to, setSession(result.secret, result.lifetimeMs, access));
    switch (result.refused) {
      case 'wrong':
        return refuse(401, 'The password is wrong.', to);
      case 'busy':
        return {
          ...refuse(503, 'Many people are signing in right now. Please try again.', to),
          retryAfterS: 2,
        };
      case 'too_many': {
        const minutes = Math.ceil(result.waitMs / 60_000);
        const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
        return {
          ...refuse(429, `Too many wrong passwords. Please try again in ${wait}.`, to),
          retryAfterS: Math.ceil(result.waitMs / 1_000),
        };
      }
    }
  };

  /** Goes to the dashboard, which knows accounts. What comes back is good in this browser alone. */
  const toDashboard = (asked: SignInRequest): EdgeResponse => {
    const { access, scope } = asked;
    const secret = randomBytes(32).toString('base64url');
    const wanted = new URLSearchParams({
      host: scope.host,
      state: stateOf(secret),
      to: localPath(query(asked).get('to')),
    });
    const { headers, ...response } = redirectTo(access, '/', setAttempt(secret, access));
    const location = `${access.dashboard}/site-access?${wanted}`;
    return { ...response, headers: headers.with(headers.indexOf('Location') + 1, location) };
  };

  /** Comes back from there. */
  const withTicket = async (asked: SignInRequest): Promise<EdgeResponse | Refused> => {
    const { request, access, scope } = asked;
    const to = localPath(query(asked).get('to'));
    const ticket = query(asked).get('ticket') ?? '';
    const secret = attemptOf(request, access);
    const session = secret && (await source.redeemTicket(scope, ticket, stateOf(secret)));
    if (!session)
      return refuse(
        401,
        'This sign-in has expired, or began in another browser. Please try again.',
        to,
      );
    const cookies = [
      ...setSession(session.secret, session.lifetimeMs, access),
      ...clearAttempt(access),
    ];
    return redirectTo(access, to, cookies);
  };

  /** A link that the site's owners have signed. */
  const withLink = async (asked: SignInRequest): Promise<EdgeResponse | Refused> => {
    const { access, scope } = asked;
    const to = localPath(query(asked).get('to'));
    try {
      const token = query(asked).get('token') ?? '';
      const signed = await verifySignedToken(token, 'link', access, source.now());
      const session = await source.redeemLink(scope, signed);
      if (!session)
        return refuse(401, 'This link was used before. Open a new one where you found it.', to);
      return redirectTo(access, to, setSession(session.secret, session.lifetimeMs, access));
    } catch (error) {
      if (!(error instanceof TokenProblem)) throw error;
      return refuse(401, `This link is not valid here. ${error.message}`, to);
    }
  };

  const signOut = async (asked: SignInRequest): Promise<EdgeResponse | Refused> => {
    const { request, access, scope } = asked;
    if (!isOwnForm(asked)) return refuse(403, 'The form was sent from another site.', '/');
    const secret = sessionSecretOf(request, access);
    if (secret) await source.endSession(scope, secret);
    return redirectTo(access, '/', clearSession(access));
  };

  return { withPassword, toDashboard, withTicket, withLink, signOut };
}

/** What the dashboard is told of the browser's secret. */
const stateOf = (secret: string): string => hash('sha256', secret, 'base64url');

const refuse = (status: Refused['status'], problem: string, to: string): Refused => ({
  ...{ status, problem, to },
});

/** Whether a form was sent by a page of this host, or by a program. Browsers say who sends one. */
function isOwnForm({ request: { headers }, scope }: SignInRequest): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined) return canonicalHost(URL.parse(origin)?.host) === scope.host;
  return site === undefined || site === 'same-origin';
}
