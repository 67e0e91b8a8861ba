import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../api-error.ts';
import { callerOf, sessionCallerOf } from '../http/access.ts';
import { clientAddress } from '../http/client-address.ts';
import { singlePage } from '../http/pagination.ts';
import {
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
} from '../http/routes.ts';
import {
  clearSessionCookie,
  readSignInCookie,
  setSessionCookie,
  setSignInCookie,
} from '../http/session-cookie.ts';
import { providerSignOut } from '../oidc/provider-sign-out.ts';
import { SignedOut } from '../oidc/sign-in.ts';
import { ref } from '../schema-types.ts';
import { findPendingSignIn } from '../store/pending-sign-ins.ts';
import { listSessions } from '../store/sessions.ts';
import type { UserRow } from '../store/users.ts';
import { Credentials, PendingSignIn, Session, SignUp, User, Visitor } from './account.ts';
import { checkCredentials, signUp } from './accounts.ts';
import { presentPending } from './factors/present-factors.ts';
import { relyingPartyOf } from './factors/relying-party.ts';
import { continueSignIn } from './factors/sign-in.ts';
import { checkFirstAccount } from './first-account.ts';
import { knownBrowser, rememberBrowser } from './known-browser.ts';
import { presentSession, presentUser } from './present-account.ts';
import { hashSecret } from './secrets.ts';
import { endOtherSessions, endSession, fromOf } from './sessions.ts';
import { userOfSignInLink } from './sign-in-links.ts';

const operation = operationsOf('Sessions');

const SIGNED_IN = {
  ...jsonResponse(200, User, 'Signed in; the cookie is the session.'),
  ...jsonResponse(202, PendingSignIn, 'More is asked of this browser; there is no session yet.'),
};

/** Sign-up, sign-in and sign-out, and the sessions of a user. */
export const sessionRoutes: Routes = async (app, { deps }) => {
  app.post(
    '/sign-up',
    operation('public', 'signUp', 'Create an account', {
      description:
        'The response is the same whether or not the address has an account. Sign in afterwards.',
      body: SignUp,
      response: { 202: Type.Object({}, { description: 'Sign in now.' }) },
    }),
    async (request) => {
      await checkFirstAccount(deps, request);
      await signUp(deps, request.body, clientAddress(request));
      return {};
    },
  );

  app.post(
    '/session',
    operation('public', 'signIn', 'Sign in', {
      body: Credentials,
      response: SIGNED_IN,
    }),
    async (request, reply) => {
      const from = { ip: clientAddress(request), browser: knownBrowser(request, deps) };
      const user = await checkCredentials(deps, request.body, from);
      return proceed(request, reply, user, 'password');
    },
  );

  app.post(
    '/session/link',
    operation('public', 'signInByLink', "Sign in with the operator's link", {
      description: 'The link works once, and for ten minutes.',
      body: Type.Object({ secret: Type.String({ maxLength: 200 }) }),
      response: SIGNED_IN,
    }),
    async (request, reply) => {
      const user = await userOfSignInLink(deps, request.body.secret);
      return proceed(request, reply, user, 'link');
    },
  );

  app.get(
    '/session',
    operation('account', 'getSession', 'Who is signed in', { response: jsonResponse(200, User) }),
    async (request) => presentUser(callerOf(request).user),
  );

  app.get(
    '/visitor',
    operation('public', 'getVisitor', 'Who asks, which may be nobody', {
      description: 'By the cookie alone. For pages that visitors see before they sign in.',
      response: jsonResponse(200, Visitor),
    }),
    async (request) => {
      const caller = await sessionCallerOf(request, deps);
      if (caller) return { user: presentUser(caller.user), pending: null };
      const secret = readSignInCookie(request, deps.addresses());
      return { user: null, pending: secret ? await pendingOf(request, secret) : null };
    },
  );

  app.delete(
    '/session',
    operation('session', 'signOut', 'Sign out', {
      description:
        'A body comes where the session began with a provider that can be signed out of as well.',
      response: {
        200: { ...ref(SignedOut), description: 'Signed out here, and not yet at the provider.' },
        ...NO_CONTENT,
      },
    }),
    async (request, reply) => {
      const caller = callerOf(request);
      const { sessionId = '' } = caller;
      const further = await providerSignOut(deps, sessionId);
      await endSession(deps, caller, sessionId);
      clearSessionCookie(request, reply, deps.addresses());
      return further ? reply.code(200).send(further) : reply.code(204).send(null);
    },
  );

  app.get(
    '/account/sessions',
    operation('session', 'listSessions', 'List your sessions', { response: pageResponse(Session) }),
    async (request) => {
      const { user, sessionId } = callerOf(request);
      const rows = await listSessions(deps.db, user.id, deps.now());
      return singlePage(rows.map((row) => presentSession(row, sessionId)));
    },
  );

  app.delete(
    '/account/sessions',
    operation('session', 'endOtherSessions', 'End all your other sessions', {
      response: NO_CONTENT,
    }),
    (request) => endOtherSessions(deps, callerOf(request)),
  );

  app.delete(
    '/account/sessions/:id',
    operation('session', 'endSession', 'End a session', {
      params: Type.Object({ id: Type.String() }),
      response: NO_CONTENT,
    }),
    async (request) => {
      const isEnded = await endSession(deps, callerOf(request), request.params.id);
      if (!isEnded) throw notFound('session');
    },
  );

  /** After the first factor: signed in, or asked for more. */
  async function proceed(
    request: FastifyRequest,
    reply: FastifyReply,
    user: UserRow,
    method: 'password' | 'link',
  ) {
    const outcome = await continueSignIn(deps, user, method, fromOf(request));
    if ('session' in outcome) {
      setSessionCookie(request, reply, deps.addresses(), outcome.session);
      rememberBrowser(request, reply, deps, user);
      return presentUser(user);
    }
    setSignInCookie(request, reply, deps.addresses(), outcome.pending);
    rememberBrowser(request, reply, deps, user);
    return reply.code(202).send(await pendingOf(request, outcome.pending));
  }

  async function pendingOf(request: FastifyRequest, secret: string): Promise<PendingSignIn | null> {
    const found = await findPendingSignIn(deps.db, hashSecret(secret), deps.now());
    const party = relyingPartyOf(request, deps.addresses());
    return found ? presentPending(deps.db, found, party) : null;
  }
};
