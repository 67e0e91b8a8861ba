import { clientNetwork } from '@petstore/http/networks.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from '../../http/client-address.ts';
import { jsonResponse, NO_CONTENT, operationsOf, type Routes } from '../../http/routes.ts';
import {
  clearSignInCookie,
  readSignInCookie,
  setSessionCookie,
  setSignInCookie,
} from '../../http/session-cookie.ts';
import { takePendingSignIn } from '../../store/pending-sign-ins.ts';
import type { UserRow } from '../../store/users.ts';
import { User } from '../account.ts';
import { rememberBrowser } from '../known-browser.ts';
import { presentUser } from '../present-account.ts';
import { hashSecret, makeSecret } from '../secrets.ts';
import { fromOf } from '../sessions.ts';
import { limitRate } from '../sign-in-limits.ts';
import { addAuthenticatorApp, addPasskey } from './add-factor.ts';
import { checkDraft, draftApp } from './authenticator-app.ts';
import { AuthenticatorAppDraft, Code, FirstCode, SetUpAndSignedIn } from './factor.ts';
import { factorsOf } from './factors.ts';
import { consumeChallenge, issueChallenge } from './passkey-challenges.ts';
import { CreatedPasskey, PasskeyOptions, SignedByPasskey } from './passkey-response.ts';
import { checkRelyingParty } from './relying-party.ts';
import {
  finishWithCode,
  finishWithPasskey,
  finishWithRecoveryCode,
  finishWithSetUp,
  pendingSignIn,
  signInWithPasskey,
} from './sign-in.ts';
import { checkPasskey } from './use-passkey.ts';
import { checkCreation, creationOptions, requestOptions } from './webauthn.ts';

const operation = operationsOf('Sessions');

/** Each load of the sign-in page asks for one; an office may be one network. */
const CHALLENGES = { limit: 600, windowMs: 15 * 60_000 };

const SIGNED_IN = jsonResponse(200, User, 'Signed in; the cookie is the session.');

/** Signing in with a passkey, with a second factor, and with one that has to be set up first. */
export const factorSignInRoutes: Routes = async (app, { deps }) => {
  const secretOfBrowser = (request: FastifyRequest) => readSignInCookie(request, deps.addresses());
  const relyingParty = (request: FastifyRequest) => checkRelyingParty(request, deps.addresses());
  const waiting = (request: FastifyRequest) =>
    pendingSignIn(deps, secretOfBrowser(request), 'second_factor');
  const settingUp = (request: FastifyRequest) =>
    pendingSignIn(deps, secretOfBrowser(request), 'set_up');

  const begin = (request: FastifyRequest, reply: FastifyReply, secret: string, user: UserRow) => {
    setSessionCookie(request, reply, deps.addresses(), secret);
    clearSignInCookie(request, reply, deps.addresses());
    rememberBrowser(request, reply, deps, user);
    return presentUser(user);
  };

  app.post(
    '/session/passkey/options',
    operation('public', 'getPasskeySignIn', 'What a passkey is asked for to sign in', {
      description: 'For any passkey that the browser has for this host.',
      response: jsonResponse(200, PasskeyOptions),
    }),
    async (request, reply) => {
      const key = `passkey:${clientNetwork(clientAddress(request))}`;
      await limitRate(
        deps.db,
        key,
        CHALLENGES,
        deps.now(),
        () => 'Too many tries. Try again later.',
      );
      const secret = secretOfBrowser(request) ?? makeSecret();
      const options = await requestOptions(relyingParty(request), { isAlone: true });
      setSignInCookie(request, reply, deps.addresses(), secret);
      return {
        options: await issueChallenge(deps, options, {
          purpose: 'sign_in',
          to: hashSecret(secret),
        }),
      };
    },
  );

  app.post(
    '/session/passkey',
    operation('public', 'signInWithPasskey', 'Sign in with a passkey', {
      description: 'Its device must have checked who holds it; then nothing else is asked.',
      body: SignedByPasskey,
      response: SIGNED_IN,
    }),
    async (request, reply) => {
      const { user, assertion } = await checkPasskey(deps, {
        relyingParty: relyingParty(request),
        response: request.body,
        binding: { purpose: 'sign_in', to: hashSecret(secretOfBrowser(request) ?? '') },
        isAlone: true,
      });
      const session = await signInWithPasskey(deps, user, assertion, fromOf(request));
      return begin(request, reply, session, user);
    },
  );

  app.delete(
    '/session/pending',
    operation('public', 'cancelSignIn', 'Give up a sign-in that is under way', {
      response: NO_CONTENT,
    }),
    async (request, reply) => {
      const secret = secretOfBrowser(request);
      if (secret !== undefined) {
        await deps.db
          .transaction()
          .execute((trx) => takePendingSignIn(trx, hashSecret(secret), deps.now()));
      }
      clearSignInCookie(request, reply, deps.addresses());
    },
  );

  app.post(
    '/session/second-factor/code',
    operation(
      'public',
      'signInWithCode',
      'Finish a sign-in with the code of an authenticator app',
      {
        body: Type.Object({ code: Code }),
        response: SIGNED_IN,
      },
    ),
    async (request, reply) => {
      const pending = await waiting(request);
      const session = await finishWithCode(deps, pending, request.body.code, fromOf(request));
      return begin(request, reply, session, pending.user);
    },
  );

  app.post(
    '/session/second-factor/recovery-code',
    operation('public', 'signInWithRecoveryCode', 'Finish a sign-in with a recovery code', {
      body: Type.Object({ code: Type.String({ minLength: 1, maxLength: 60 }) }),
      response: SIGNED_IN,
    }),
    async (request, reply) => {
      const pending = await waiting(request);
      const { code } = request.body;
      const session = await finishWithRecoveryCode(deps, pending, code, fromOf(request));
      return begin(request, reply, session, pending.user);
    },
  );

  app.post(
    '/session/second-factor/passkey/options',
    operation(
      'public',
      'getSecondFactorPasskey',
      'What a passkey is asked for as a second factor',
      {
        response: jsonResponse(200, PasskeyOptions),
      },
    ),
    async (request) => {
      const { pending, user } = await waiting(request);
      const party = relyingParty(request);
      const { passkeys } = await factorsOf(deps.db, user.id);
      const usable = passkeys.filter(({ rp_id }) => rp_id === party.id);
      const options = await requestOptions(party, { passkeys: usable, isAlone: false });
      const binding = { purpose: 'second_factor', to: pending.secret_hash } as const;
      return { options: await issueChallenge(deps, options, binding) };
    },
  );

  app.post(
    '/session/second-factor/passkey',
    operation('public', 'signInWithSecondPasskey', 'Finish a sign-in with a passkey', {
      body: SignedByPasskey,
      response: SIGNED_IN,
    }),
    async (request, reply) => {
      const found = await waiting(request);
      const use = {
        relyingParty: relyingParty(request),
        response: request.body,
        binding: { purpose: 'second_factor', to: found.pending.secret_hash } as const,
        isAlone: false,
      };
      const { assertion } = await checkPasskey(deps, use, found.user);
      const session = await finishWithPasskey(deps, found, assertion, fromOf(request));
      return begin(request, reply, session, found.user);
    },
  );

  app.post(
    '/session/set-up/authenticator-app/draft',
    operation('public', 'draftRequiredApp', 'Begin to set up a required authenticator app', {
      response: jsonResponse(200, AuthenticatorAppDraft),
    }),
    async (request) => draftApp(deps, (await settingUp(request)).user),
  );

  app.post(
    '/session/set-up/authenticator-app',
    operation('public', 'setUpRequiredApp', 'Finish a sign-in by setting up an authenticator app', {
      body: FirstCode,
      response: jsonResponse(200, SetUpAndSignedIn),
    }),
    async (request, reply) => {
      const found = await settingUp(request);
      const checked = checkDraft(deps, found.user, request.body);
      const { session, recoveryCodes } = await finishWithSetUp(
        deps,
        found,
        'code',
        fromOf(request),
        (addition) => addAuthenticatorApp(addition, checked),
      );
      return { user: begin(request, reply, session, found.user), recoveryCodes };
    },
  );

  app.post(
    '/session/set-up/passkey/options',
    operation('public', 'getRequiredPasskey', 'Begin to add a required passkey', {
      response: jsonResponse(200, PasskeyOptions),
    }),
    async (request) => {
      const { pending, user } = await settingUp(request);
      const options = await creationOptions(relyingParty(request), user, []);
      const binding = { purpose: 'create', to: pending.secret_hash } as const;
      return { options: await issueChallenge(deps, options, binding) };
    },
  );

  app.post(
    '/session/set-up/passkey',
    operation('public', 'setUpRequiredPasskey', 'Finish a sign-in by adding a passkey', {
      body: CreatedPasskey,
      response: jsonResponse(200, SetUpAndSignedIn),
    }),
    async (request, reply) => {
      const found = await settingUp(request);
      const response = request.body;
      const binding = { purpose: 'create', to: found.pending.secret_hash } as const;
      const challenge = await consumeChallenge(deps, request.body, binding);
      const made = await checkCreation(relyingParty(request), challenge, response);
      const { session, recoveryCodes } = await finishWithSetUp(
        deps,
        found,
        'passkey',
        fromOf(request),
        (addition) => addPasskey(addition, made),
      );
      return { user: begin(request, reply, session, found.user), recoveryCodes };
    },
  );
};
