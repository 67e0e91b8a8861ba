import type { EdgeRequest, RequestTarget } from '../http/edge-request.ts';
import type { EdgeResponse } from '../http/response.ts';
import type { Headers } from '../sites/file-headers.ts';
import type { MaybePromise, SiteCache } from '../sites/site-cache.ts';
import type { Site } from '../sites/site-source.ts';
import { AccessCache } from './access-cache.ts';
import {
  challengeOf,
  explanation,
  pageResponse,
  plainResponse,
  redirectTo,
  type TokenRefusal,
  wantsPage,
} from './access-responses.ts';
import type { AccessDecision, AccessSource } from './access-source.ts';
import { sessionSecretOf } from './cookies.ts';
import { isLoadedFromElsewhere, isolated } from './isolation.ts';
import { PATHS } from './paths.ts';
import { type Refused, type SignInRequest, signIns } from './sign-in.ts';
import { type Accent, signInPage, styleHash } from './sign-in-page.ts';
import { TokenProblem, verifySignedToken } from './signed-token.ts';
import type { SiteAccess } from './site-access.ts';

interface Asked {
  readonly request: EdgeRequest;
  readonly target: RequestTarget;
  readonly site: Site;
  readonly access: SiteAccess;
  /** Headers of every response. */
  readonly always: Headers;
}

/** Why somebody may not read; undefined: they showed nothing that counts. */
type Denial =
  | { readonly status: 401 | 403; readonly refusal?: TokenRefusal; readonly text?: string }
  | undefined;

/**
 * Stands in front of everything that a private site has, before anything of it is looked up: whoever may not read gets
 * the same response for what exists and for what does not.
 */
export function siteGate(source: AccessSource, cache: SiteCache) {
  const accessCache = new AccessCache(source);
  const signIn = signIns(source);

  /** `serve`: the response for a reader. */
  const guard = (
    asked: Asked,
    serve: () => MaybePromise<EdgeResponse>,
  ): MaybePromise<EdgeResponse> => {
    const response = respond(asked, serve);
    return response instanceof Promise ? response.then(isolated) : isolated(response);
  };

  const respond = (
    asked: Asked,
    serve: () => MaybePromise<EdgeResponse>,
  ): MaybePromise<EdgeResponse> => {
    if (asked.target.path.startsWith('/_access/')) {
      const response = answerOwn(asked);
      if (response) return response;
    }
    const denial = judge(asked);
    if (denial instanceof Promise)
      return denial.then((found) => (found === 'reader' ? serve() : deny(asked, found)));
    return denial === 'reader' ? serve() : deny(asked, denial);
  };

  /** By the token where there is one, or else by the cookie. */
  const judge = ({ request, target, site, access }: Asked): MaybePromise<'reader' | Denial> => {
    const { authorization } = request.headers;
    if (authorization !== undefined) return judgeToken(authorization, request, site, access);
    const secret = sessionSecretOf(request, access);
    if (secret === undefined || isLoadedFromElsewhere(request)) return undefined;
    const { host } = target;
    const session = { kind: 'session', secret, host } as const;
    const decision = accessCache.judge(site.projectId, session, request.client);
    const read = (found: AccessDecision) => (found === 'allowed' ? 'reader' : undefined);
    return decision instanceof Promise ? decision.then(read) : read(decision);
  };

  const judgeToken = async (
    authorization: string,
    { client }: EdgeRequest,
    { projectId }: Site,
    access: SiteAccess,
  ): Promise<'reader' | Denial> => {
    const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1];
    if (token === undefined) return { status: 401 };
    if (!token.includes('.'))
      return denialOf(await accessCache.judge(projectId, { kind: 'token', secret: token }, client));
    try {
      const { keyId } = await verifySignedToken(token, 'program', access, source.now());
      return denialOf(await accessCache.judge(projectId, { kind: 'key', id: keyId }, client));
    } catch (error) {
      if (!(error instanceof TokenProblem)) throw error;
      return invalid(`The token is not valid here. ${error.message}`);
    }
  };

  const deny = async (asked: Asked, denial: Denial): Promise<EdgeResponse> => {
    const { request, target, access, always } = asked;
    const status = denial?.status ?? 401;
    const headers = [...always, ...challengeOf(access, target.path, denial?.refusal)];
    const text = denial?.text ?? denial?.refusal?.description ?? explanation(access);
    if (!wantsPage(request)) return plainResponse(status, text, headers);
    return page(asked, { status, to: target.rawPath + target.query }, headers);
  };

  const page = async (
    { access }: Asked,
    {
      status,
      to,
      problem,
      isReader = false,
    }: { status: number; to: string; problem?: string; isReader?: boolean },
    headers: Headers,
  ): Promise<EdgeResponse> => {
    const accent = await accentOf(access);
    const { name, hasPassword, keys } = access;
    const shown = { name, accent, hasPassword, hasLinks: keys.length > 0, to, problem, isReader };
    return pageResponse(status, signInPage(shown), styleHash(shown), headers);
  };

  /** The site's own colours; without them the page has the usual ones. */
  const accentOf = async ({ look }: SiteAccess): Promise<Accent | undefined> =>
    look === undefined ? undefined : (await cache.manifest(look)).accent;

  /** What belongs to signing in; undefined: nothing is there, as for any path. */
  const answerOwn = (asked: Asked): Promise<EdgeResponse> | undefined => {
    const { request, target, access, site, always } = asked;
    const signInRequest: SignInRequest = {
      ...{ request, target, access },
      scope: { projectId: site.projectId, host: target.host },
    };
    const finish = async (result: Promise<EdgeResponse | Refused>): Promise<EdgeResponse> => {
      const settled = await result;
      if (!('problem' in settled)) return { ...settled, headers: [...always, ...settled.headers] };
      const { status, retryAfterS } = settled;
      const headers = [
        ...always,
        ...(status === 401 ? challengeOf(access, '/') : []),
        ...(retryAfterS === undefined ? [] : ['Retry-After', String(retryAfterS)]),
      ];
      return page(asked, settled, headers);
    };
    const isGet = request.method === 'GET';
    const isPost = request.method === 'POST';
    if (isPost && target.path === PATHS.signIn) return finish(signIn.withPassword(signInRequest));
    if (isPost && target.path === PATHS.signOut) return finish(signIn.signOut(signInRequest));
    if (isGet && target.path === PATHS.signIn) return signInState(asked);
    if (isGet && target.path === PATHS.account)
      return finish(Promise.resolve(signIn.toDashboard(signInRequest)));
    if (isGet && (target.path === PATHS.ticket || target.path === PATHS.link)) {
      const exchange = target.path === PATHS.ticket ? signIn.withTicket : signIn.withLink;
      return finish(orReader(asked, exchange(signInRequest)));
    }
    return undefined;
  };

  /** Whoever goes back to an address that was exchanged before, in the same browser, goes on as a reader. */
  const orReader = async (
    asked: Asked,
    exchange: Promise<EdgeResponse | Refused>,
  ): Promise<EdgeResponse | Refused> => {
    const result = await exchange;
    if (!('problem' in result) || (await judge(asked)) !== 'reader') return result;
    return redirectTo(asked.access, result.to, []);
  };

  const signInState = async (asked: Asked): Promise<EdgeResponse> => {
    const isReader = (await judge(asked)) === 'reader';
    const headers = [...asked.always, ...(isReader ? [] : challengeOf(asked.access, '/'))];
    return page(asked, { status: isReader ? 200 : 401, to: '/', isReader }, headers);
  };

  return guard;
}

export type SiteGate = ReturnType<typeof siteGate>;

const invalid = (description: string): Denial => ({
  status: 401,
  refusal: { error: 'invalid_token', description },
});

function denialOf(decision: AccessDecision): 'reader' | Denial {
  switch (decision) {
    case 'allowed':
      return 'reader';
    case 'unknown':
      return invalid('The token is unknown, was revoked, or has expired.');
    case 'stranger':
      // Not `insufficient_scope`: no other token of the same account would do.
      return { status: 403, text: 'The account of this token may not read this site.' };
    case 'scope':
      return {
        status: 403,
        refusal: { error: 'insufficient_scope', description: 'The token lacks the scope read.' },
      };
  }
}
