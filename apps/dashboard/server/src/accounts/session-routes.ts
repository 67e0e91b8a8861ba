import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyRequest } from 'fastify';
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
import { findPendingSignIn } from '../store/pending-sign-ins.ts';
import { listSessions } from '../store/sessions.ts';
import { Credentials, PendingSignIn, Session, SignUp, User, Visitor } from './account.ts';
import { checkCredentials, signUp } from './accounts.ts';
import { presentPending } from './factors/present-factors.ts';
import { relyingPartyOf } from './factors/relying-party.ts';
import { continueSignIn } from './factors/sign-in.ts';
import { checkFirstAccount } from './first-account.ts';
import { presentSession, presentUser } from './present-account.ts';
import { hashSecret } from './secrets.ts';
import { endOtherSessions, endSession, fromOf } from './sessions.ts';

const operation = operationsOf('Sessions');

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
    async (request, reply) => {
      await checkFirstAccount(deps, request);
      await signUp(deps, request.body, clientAddress(request));
      return reply.code(202).send({});
    },
  );

  app.post(
    '/session',
    operation('public', 'signIn', 'Sign in', {
      body: Credentials,
      response: {
        ...jsonResponse(200, User, 'Signed in; the cookie is the session.'),
        ...jsonResponse(
          202,
          PendingSignIn,
          'More is asked of this browser; there is no session yet.',
        ),
      },
    }),
    async (request, reply) => {
      const user = await checkCredentials(deps, request.body, clientAddress(request));
      const outcome = await continueSignIn(deps, user, 'password', fromOf(request));
      if ('session' in outcome) {
        setSessionCookie(request, reply, deps.addresses(), outcome.session);
        return presentUser(user);
      }
      setSignInCookie(request, reply, deps.addresses(), outcome.pending);
      return reply.code(202).send(await pendingOf(request, outcome.pending));
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
    operation('session', 'signOut', 'Sign out', { response: NO_CONTENT }),
    async (request, reply) => {
      const caller = callerOf(request);
      await endSession(deps, caller, caller.sessionId ?? '');
      clearSessionCookie(request, reply, deps.addresses());
      return reply.code(204).send(null);
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
    async (request, reply) => {
      await endOtherSessions(deps, callerOf(request));
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/account/sessions/:id',
    operation('session', 'endSession', 'End a session', {
      params: Type.Object({ id: Type.String() }),
      response: NO_CONTENT,
    }),
    async (request, reply) => {
      const isEnded = await endSession(deps, callerOf(request), request.params.id);
      if (!isEnded) throw notFound('session');
      return reply.code(204).send(null);
    },
  );

  async function pendingOf(request: FastifyRequest, secret: string): Promise<PendingSignIn | null> {
    const found = await findPendingSignIn(deps.db, hashSecret(secret), deps.now());
    const party = relyingPartyOf(request, deps.addresses());
    return found ? presentPending(deps.db, found, party) : null;
  }
};
