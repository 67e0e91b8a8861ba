import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyRequest } from 'fastify';
import { notFound } from '../../api-error.ts';
import { callerOf } from '../../http/access.ts';
import {
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  type Routes,
  requiresReauthentication,
} from '../../http/routes.ts';
import { instant, instantOrNull } from '../../schema-types.ts';
import { writeAudit } from '../../store/audit.ts';
import { codesGuessedAt, forgetGuessing } from '../../store/code-guesses.ts';
import { renamePasskey } from '../../store/passkeys.ts';
import { readName } from '../account-input.ts';
import type { Caller } from '../caller.ts';
import { lockUserWithPassword, NO_PASSWORD } from '../passwords.ts';
import { type Added, type Addition, addAuthenticatorApp, addPasskey } from './add-factor.ts';
import { checkDraft, draftApp } from './authenticator-app.ts';
import {
  AddedFactor,
  AuthenticatorAppDraft,
  Factors,
  FirstCode,
  PasskeyName,
  RecoveryCodes,
} from './factor.ts';
import { factorsOf, isFactorRequired } from './factors.ts';
import { newRecoveryCodes } from './new-recovery-codes.ts';
import { consumeChallenge, issueChallenge } from './passkey-challenges.ts';
import { CreatedPasskey, PasskeyOptions } from './passkey-response.ts';
import { presentPasskey } from './present-factors.ts';
import { checkRelyingParty, relyingPartyOf, whyNoPasskeys } from './relying-party.ts';
import { removeAuthenticatorApp, removePasskey } from './remove-factor.ts';
import { checkCreation, creationOptions } from './webauthn.ts';

const operation = operationsOf('Second factors');
const IdParams = Type.Object({ id: Type.String() });

/** A user's own passkeys, authenticator app and recovery codes. */
export const factorRoutes: Routes = async (app, { deps }) => {
  const relyingParty = (request: FastifyRequest) => checkRelyingParty(request, deps.addresses());

  app.get(
    '/account/factors',
    operation('session', 'getFactors', 'Your second factors', {
      response: jsonResponse(200, Factors),
    }),
    async (request) => {
      const { user } = callerOf(request);
      const { passkeys, app, recoveryCodes } = await factorsOf(deps.db, user.id);
      const party = relyingPartyOf(request, deps.addresses());
      return {
        hasPassword: user.password_hash !== NO_PASSWORD,
        isRequired: await isFactorRequired(deps.db, user),
        passkeys: passkeys.map((row) => presentPasskey(row, party)),
        noPasskeysBecause: party ? null : whyNoPasskeys(deps.addresses()),
        authenticatorApp: app
          ? { createdAt: instant(app.created_at), lastUsedAt: instantOrNull(app.last_used_at) }
          : null,
        recoveryCodes: recoveryCodes
          ? { left: recoveryCodes.left, createdAt: instant(recoveryCodes.createdAt) }
          : null,
        guessedAt: instantOrNull((await codesGuessedAt(deps.db, user.id)) ?? null),
      };
    },
  );

  app.delete(
    '/account/factors/guessing',
    operation('session', 'dismissGuessing', 'You have seen that codes were guessed', {
      response: NO_CONTENT,
    }),
    (request) => forgetGuessing(deps.db, callerOf(request).user.id),
  );

  app.post(
    '/account/passkeys/options',
    requiresReauthentication(
      operation('session', 'getNewPasskey', 'What a browser is asked for to make a passkey', {
        response: jsonResponse(200, PasskeyOptions),
      }),
    ),
    async (request) => {
      const { user, sessionId = '' } = callerOf(request);
      const { passkeys } = await factorsOf(deps.db, user.id);
      const options = await creationOptions(relyingParty(request), user, passkeys);
      return { options: await issueChallenge(deps, options, { purpose: 'create', to: sessionId }) };
    },
  );

  app.post(
    '/account/passkeys',
    requiresReauthentication(
      operation('session', 'addPasskey', 'Add a passkey', {
        body: CreatedPasskey,
        response: jsonResponse(201, AddedFactor),
      }),
    ),
    async (request) => {
      const caller = callerOf(request);
      const binding = { purpose: 'create', to: caller.sessionId ?? '' } as const;
      const challenge = await consumeChallenge(deps, request.body, binding);
      const response = request.body;
      const made = await checkCreation(relyingParty(request), challenge, response);
      const recoveryCodes = await adding(caller, (addition) => addPasskey(addition, made));
      return { recoveryCodes };
    },
  );

  app.patch(
    '/account/passkeys/:id',
    operation('session', 'renamePasskey', 'Rename a passkey', {
      params: IdParams,
      body: Type.Object({ name: PasskeyName }),
      response: NO_CONTENT,
    }),
    async (request) => {
      const { user, actor } = callerOf(request);
      const name = readName(request.body.name);
      const { id } = request.params;
      await deps.db.transaction().execute(async (trx) => {
        const before = await renamePasskey(trx, user.id, id, name);
        if (!before) throw notFound('passkey');
        await writeAudit(trx, deps.now(), actor, {
          action: 'passkey.rename',
          target: name,
          details: { id, from: before.name, to: name },
        });
      });
    },
  );

  app.delete(
    '/account/passkeys/:id',
    requiresReauthentication(
      operation('session', 'removePasskey', 'Remove a passkey', {
        params: IdParams,
        response: NO_CONTENT,
      }),
    ),
    (request) => removePasskey(deps, callerOf(request), request.params.id),
  );

  app.post(
    '/account/authenticator-app/draft',
    requiresReauthentication(
      operation('session', 'draftAuthenticatorApp', 'Begin to set up an authenticator app', {
        response: jsonResponse(200, AuthenticatorAppDraft),
      }),
    ),
    async (request) => draftApp(deps, callerOf(request).user),
  );

  app.put(
    '/account/authenticator-app',
    requiresReauthentication(
      operation('session', 'setAuthenticatorApp', 'Set up an authenticator app', {
        description: 'In place of an earlier one, with the first code that it shows.',
        body: FirstCode,
        response: jsonResponse(200, AddedFactor),
      }),
    ),
    async (request) => {
      const caller = callerOf(request);
      const checked = checkDraft(deps, caller.user, request.body);
      const add = (addition: Addition) => addAuthenticatorApp(addition, checked);
      return { recoveryCodes: await adding(caller, add) };
    },
  );

  app.delete(
    '/account/authenticator-app',
    requiresReauthentication(
      operation('session', 'removeAuthenticatorApp', 'Remove the authenticator app', {
        response: NO_CONTENT,
      }),
    ),
    (request) => removeAuthenticatorApp(deps, callerOf(request)),
  );

  app.post(
    '/account/recovery-codes',
    requiresReauthentication(
      operation('session', 'makeRecoveryCodes', 'Make new recovery codes', {
        description: 'The earlier ones end.',
        response: jsonResponse(201, RecoveryCodes),
      }),
    ),
    async (request) => {
      const codes = await newRecoveryCodes(deps, callerOf(request));
      return { codes };
    },
  );

  async function adding(
    { user, actor }: Caller,
    add: (addition: Addition) => Promise<Added>,
  ): Promise<string[] | null> {
    const { email, recoveryCodes } = await deps.db.transaction().execute(async (trx) => {
      const current = await lockUserWithPassword(trx, user);
      return add({ trx, at: deps.now(), user: current, actor });
    });
    deps.accountMail?.sendLater(async () => [email(deps.addresses())]);
    return recoveryCodes;
  }
};
