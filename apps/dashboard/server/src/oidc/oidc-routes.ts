import { ApiError } from '@petstore/http/errors.ts';
import type { Log } from '@petstore/service/log.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { userWithPassword } from '../accounts/accounts.ts';
import type { Caller } from '../accounts/caller.ts';
import { factorsOf, hasFactor } from '../accounts/factors/factors.ts';
import { continueSignIn } from '../accounts/factors/sign-in.ts';
import { knownBrowser } from '../accounts/known-browser.ts';
import { lockUserWithPassword } from '../accounts/passwords.ts';
import { endSession, fromOf } from '../accounts/sessions.ts';
import { limitProviderAnswers, recordProviderSuccess } from '../accounts/sign-in-limits.ts';
import { conflict, notFound } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { sessionCallerOf } from '../http/access.ts';
import { clientAddress } from '../http/client-address.ts';
import { jsonResponse, operationsOf, type Routes } from '../http/routes.ts';
import { clearSessionCookie, setSessionCookie, setSignInCookie } from '../http/session-cookie.ts';
import { findIdentity } from '../store/identities.ts';
import { confirmSession, findOwnSession } from '../store/sessions.ts';
import { addressesFor } from './addresses.ts';
import { beginAuthorization, finishAuthorization } from './authorization.ts';
import { CLOCK_TOLERANCE_S } from './discover.ts';
import { FLOW_MS, type Flow, keepFlow, takeFlow } from './flow.ts';
import { linkIdentity } from './identities.ts';
import {
  clearPendingLink,
  keepPendingLink,
  PENDING_LINK_MS,
  readPendingLink,
} from './pending-link.ts';
import type { Person } from './person.ts';
import { type Problem, SignInProblem } from './problem.ts';
import { explainProviderError, ProviderError } from './provider-error.ts';
import { sealIdToken } from './provider-sign-out.ts';
import type { Provider } from './providers.ts';
import { returnPath } from './return-path.ts';
import { OpenLink, SignInStart } from './sign-in.ts';
import { accountOf, actorOf as actorOfUser, NeedsPassword } from './sign-in-with-provider.ts';

const operation = operationsOf('Sign-in with a provider');
const ProviderParams = Type.Object({ provider: Type.String() });

/** Signing in with OpenID Connect: to the provider, back from it, and linking it with an account that is there. */
export const oidcRoutes: Routes<{ log: Log }> = async (app, { deps, log }) => {
  app.post(
    '/oidc/:provider/start',
    operation('public', 'startProviderSignIn', 'Begin to sign in with a provider', {
      description:
        'For the browser of whoever signs in: it keeps a cookie for ten minutes, and comes back to the callback.',
      params: ProviderParams,
      body: Type.Object({
        next: Type.Optional(
          Type.String({
            maxLength: 4_000,
            description: 'The path of the dashboard where the browser goes afterwards.',
          }),
        ),
      }),
      response: jsonResponse(200, SignInStart),
    }),
    async (request, reply) => {
      const provider = providerOf(deps, request.params.provider);
      const next = returnPath(request.body.next, deps.addresses().dashboard);
      return startFlow(request, reply, deps, provider, { purpose: { kind: 'sign-in' }, next });
    },
  );

  app.get<{ Params: { provider: string }; Querystring: Record<string, unknown> }>(
    '/oidc/:provider/callback',
    {
      ...operation('public', 'finishProviderSignIn', 'Where a provider sends the browser back', {
        description:
          'Signs in and leads on, or leads to the sign-in page with the reason in `problem`.',
        params: ProviderParams,
        response: { 303: { type: 'null', description: 'Signed in, or not.' } },
      }),
      // A look at a link must not use its code up.
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { provider: id } = request.params;
      const provider = deps.providers.find(id);
      let flow: Flow | undefined;
      try {
        if (!provider) throw new SignInProblem('not_begun_here');
        flow = await takeFlow(request, reply, deps, { provider: id, state: request.query.state });
        return leadTo(reply, await finish(request, reply, provider, flow));
      } catch (error) {
        const problem = problemOf(error);
        if (!problem) throw error;
        const reason = (error as Error).cause;
        log.warn(
          {
            provider: id,
            problem,
            ...(reason !== undefined && { reason: explainProviderError(reason) }),
          },
          'a sign-in with a provider failed',
        );
        return leadTo(reply, problemPath(problem, id, flow));
      }
    },
  );

  /** The path to go on to. */
  async function finish(
    request: FastifyRequest,
    reply: FastifyReply,
    provider: Provider,
    flow: Flow,
  ): Promise<string> {
    const ip = clientAddress(request);
    await limitProviderAnswers(deps.db, ip, deps.now());
    const callback = new URL(addressesFor(deps, provider.config.id).redirect);
    callback.search = new URL(request.originalUrl, callback).search;
    const person = await finishAuthorization(provider, flow, callback);
    const { purpose } = flow;
    let next = flow.next;
    if (purpose.kind === 'sign-in') next = await signIn(request, reply, provider, flow, person);
    else if (purpose.kind === 'link') {
      next = await link(request, provider, purpose.sessionId, person);
    } else await confirm(request, flow, purpose.sessionId, person);
    await recordProviderSuccess(deps.db, ip);
    return next;
  }

  async function link(
    request: FastifyRequest,
    provider: Provider,
    sessionId: string,
    person: Person,
  ): Promise<string> {
    const caller = await callerOfFlow(request, sessionId);
    await linkIdentity(
      deps,
      { user: caller.user, provider: provider.config, person },
      caller.actor,
      async (trx) => {
        if (!(await findOwnSession(trx, sessionId))) throw new SignInProblem('signed_out');
      },
    );
    return `/account/security?linked=${provider.config.id}`;
  }

  /** The user of the session that began a flow. Throws SignInProblem where the browser has another one by now. */
  async function callerOfFlow(request: FastifyRequest, sessionId: string): Promise<Caller> {
    const caller = await sessionCallerOf(request, deps);
    if (caller?.sessionId !== sessionId) throw new SignInProblem('signed_out');
    return caller;
  }

  async function confirm(
    request: FastifyRequest,
    flow: Flow,
    sessionId: string,
    person: Person,
  ): Promise<void> {
    const caller = await callerOfFlow(request, sessionId);
    const known = await findIdentity(deps.db, person.issuer, person.subject);
    // Some providers neither ask again nor tell when they asked: that they answer now is all that there is.
    const beganAt = (flow.endsAt - FLOW_MS) / 1_000 - CLOCK_TOLERANCE_S;
    const isFresh = person.authenticatedAt === undefined || person.authenticatedAt >= beganAt;
    if (known?.user.id !== caller.user.id || !isFresh) throw new SignInProblem('not_confirmed');
    await confirmSession(deps.db, sessionId, deps.now());
  }

  async function signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    provider: Provider,
    flow: Flow,
    person: Person,
  ): Promise<string> {
    const ip = clientAddress(request);
    try {
      const { user, identityId } = await accountOf(deps, provider.config, person, ip);
      const earlier = await sessionCallerOf(request, deps).catch(() => undefined);
      const method = `provider:${provider.config.id}` as const;
      const outcome = await continueSignIn(deps, user, method, fromOf(request), {
        id: identityId,
        sid: person.sid ?? null,
        sealedIdToken: sealIdToken(deps, person.idToken) ?? null,
        provenAt: person.authenticatedAt && person.authenticatedAt * 1_000,
      });
      if (earlier?.sessionId !== undefined) await endSession(deps, earlier, earlier.sessionId);
      if ('session' in outcome) {
        setSessionCookie(request, reply, deps.addresses(), outcome.session);
        return flow.next;
      }
      // The sign-in page asks for the second factor.
      clearSessionCookie(request, reply, deps.addresses());
      setSignInCookie(request, reply, deps.addresses(), outcome.pending);
      return `/sign-in?${new URLSearchParams({ next: flow.next })}`;
    } catch (error) {
      if (!(error instanceof NeedsPassword)) throw error;
      const { issuer, subject } = person;
      keepPendingLink(request, reply, deps, {
        ...{ provider: provider.config.id, issuer, subject, email: error.email, next: flow.next },
        endsAt: deps.now() + PENDING_LINK_MS,
      });
      return '/sign-in/link-account';
    }
  }

  app.get(
    '/oidc/pending-link',
    operation('public', 'getPendingLink', 'Which account a provider is about to be linked with', {
      description: 'By a cookie of the browser that has just signed in with the provider.',
      response: jsonResponse(200, OpenLink),
    }),
    async (request) => {
      const open = readPendingLink(request, deps);
      const provider = open && deps.providers.find(open.provider);
      if (!open || !provider) throw noSignIn();
      return { provider: provider.config.name, email: open.email };
    },
  );

  app.post(
    '/oidc/pending-link',
    operation('public', 'confirmPendingLink', 'Link a provider with an account, by its password', {
      description:
        'The account has the address that the provider has verified. Afterwards the browser signs in with the provider.',
      body: Type.Object({ password: Type.String({ maxLength: 1_000 }) }),
      response: jsonResponse(200, SignInStart),
    }),
    async (request, reply) => {
      const open = readPendingLink(request, deps);
      const provider = open && deps.providers.find(open.provider);
      if (!open || !provider) throw noSignIn();
      const ip = clientAddress(request);
      const credentials = { email: open.email, password: request.body.password };
      const from = { ip, browser: knownBrowser(request, deps) };
      const user = await userWithPassword(deps, credentials, from);
      const { issuer, subject, email, next } = open;
      await linkIdentity(
        deps,
        { user, provider: provider.config, person: { issuer, subject, email } },
        actorOfUser(user, ip),
        async (trx) => {
          await lockUserWithPassword(trx, user);
          // What is linked signs in without the factor: the password alone is not enough to do that.
          if (hasFactor(await factorsOf(trx, user.id))) {
            throw conflict(
              `Your account has a second factor. Sign in with it, and link ${provider.config.name} under Account, Security.`,
            );
          }
        },
      ).catch((error) => {
        if (!(error instanceof SignInProblem)) throw error;
        throw conflict(
          `This account at ${provider.config.name} is linked with another account here.`,
        );
      });
      clearPendingLink(request, reply, deps);
      return startFlow(request, reply, deps, provider, { purpose: { kind: 'sign-in' }, next });
    },
  );
};

/** Begins a flow in the browser of a request. Throws ApiError where the provider cannot be asked. */
export async function startFlow(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
  provider: Provider,
  options: Pick<Flow, 'purpose' | 'next'>,
): Promise<SignInStart> {
  const { dashboard } = deps.addresses();
  // The browser comes back to the dashboard's own address, and the cookie would be that of another one.
  if (new URL(dashboard).host !== request.host)
    throw conflict(`Open the dashboard at ${dashboard} to sign in with ${provider.config.name}.`);
  const { redirect } = addressesFor(deps, provider.config.id);
  const begun = beginAuthorization(provider, redirect, { ...options, now: deps.now() });
  const { flow, url } = await begun.catch((cause) => {
    if (!(cause instanceof ProviderError)) throw cause;
    throw new ApiError(
      'unavailable',
      `${provider.config.name} cannot be reached right now. Try again shortly; if it stays so, tell whoever runs this dashboard.`,
      { cause, headers: { 'retry-after': '5' } },
    );
  });
  keepFlow(request, reply, deps, flow);
  return { url: url.href };
}

/** Throws ApiError where the operator has configured none of this name. */
export function providerOf({ providers }: Pick<Deps, 'providers'>, id: string): Provider {
  const provider = providers.find(id);
  if (!provider) throw notFound('provider');
  return provider;
}

/** What the page says; undefined for what is a failure of this service. */
const noSignIn = () =>
  new ApiError(
    'not_found',
    'No sign-in is in progress in this browser. Start again on the sign-in page.',
  );

function problemOf(error: unknown): Problem | undefined {
  if (error instanceof SignInProblem) return error.problem;
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === 'rate_limited') return 'too_many';
  return error.code === 'forbidden'
    ? 'disabled'
    : error.code === 'unauthorized'
      ? 'signed_out'
      : undefined;
}

function problemPath(problem: Problem, provider: string, flow: Flow | undefined): string {
  const isSignedIn = flow !== undefined && flow.purpose.kind !== 'sign-in';
  const page = isSignedIn ? '/account/security' : '/sign-in';
  const query = new URLSearchParams({ problem, provider });
  if (flow?.purpose.kind === 'sign-in' && flow.next !== '/') query.set('next', flow.next);
  return `${page}?${query}`;
}

/** The address of the callback has the code: no other site is told it. */
function leadTo(reply: FastifyReply, path: string): FastifyReply {
  return reply.code(303).headers({ location: path, 'referrer-policy': 'no-referrer' }).send(null);
}
