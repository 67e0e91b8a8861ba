import { Type } from '@petstore/service/schema-builders.ts';
import type { FastifyRequest } from 'fastify';
import { callerOf } from '../../http/access.ts';
import { jsonResponse, NO_CONTENT, operationsOf, type Routes } from '../../http/routes.ts';
import { instant } from '../../schema-types.ts';
import { listIdentities } from '../../store/identities.ts';
import { NO_PASSWORD } from '../passwords.ts';
import { confirmWithPasskey, confirmWithPassword } from './confirmation.ts';
import { Confirmation } from './factor.ts';
import { factorsOf } from './factors.ts';
import { issueChallenge } from './passkey-challenges.ts';
import { PasskeyOptions, SignedByPasskey } from './passkey-response.ts';
import { checkRelyingParty, relyingPartyOf } from './relying-party.ts';
import { checkPasskey } from './use-passkey.ts';
import { requestOptions } from './webauthn.ts';

const operation = operationsOf('Sessions');

/** Proving again who one is, before a sensitive change. */
export const confirmationRoutes: Routes = async (app, { deps }) => {
  const usablePasskeys = async (request: FastifyRequest) => {
    const { passkeys } = await factorsOf(deps.db, callerOf(request).user.id);
    const party = relyingPartyOf(request, deps.addresses());
    return passkeys.filter(({ rp_id }) => rp_id === party?.id);
  };

  app.get(
    '/session/confirmation',
    operation('session', 'getConfirmation', 'How you can confirm that it is you', {
      response: jsonResponse(200, Confirmation),
    }),
    async (request) => {
      const { user, confirmedAt = 0 } = callerOf(request);
      const ways: Confirmation['ways'] = [];
      if ((await usablePasskeys(request)).length > 0) ways.push('passkey');
      if (user.password_hash !== NO_PASSWORD) ways.push('password');
      const linked = (await listIdentities(deps.db, user.id)).map(({ provider }) => provider);
      const providers = deps.providers.all
        .map(({ config: { id, name } }) => ({ id, name }))
        .filter(({ id }) => linked.includes(id));
      return { ways, providers, confirmedAt: instant(confirmedAt) };
    },
  );

  app.post(
    '/session/confirmation',
    operation('session', 'confirm', 'Confirm that it is you, with your password', {
      description:
        'For 15 minutes sensitive changes are not answered with `confirmation_required` then.',
      body: Type.Object({ password: Type.String({ maxLength: 1_000 }) }),
      response: NO_CONTENT,
    }),
    (request) => confirmWithPassword(deps, callerOf(request), request.body.password),
  );

  app.post(
    '/session/confirmation/passkey/options',
    operation('session', 'getConfirmingPasskey', 'What a passkey is asked for to confirm', {
      response: jsonResponse(200, PasskeyOptions),
    }),
    async (request) => {
      const party = checkRelyingParty(request, deps.addresses());
      const passkeys = await usablePasskeys(request);
      const options = await requestOptions(party, { passkeys, isAlone: false });
      const binding = { purpose: 'confirm', to: callerOf(request).sessionId ?? '' } as const;
      return { options: await issueChallenge(deps, options, binding) };
    },
  );

  app.post(
    '/session/confirmation/passkey',
    operation('session', 'confirmWithPasskey', 'Confirm that it is you, with a passkey', {
      body: SignedByPasskey,
      response: NO_CONTENT,
    }),
    async (request) => {
      const caller = callerOf(request);
      const use = {
        relyingParty: checkRelyingParty(request, deps.addresses()),
        response: request.body,
        binding: { purpose: 'confirm', to: caller.sessionId ?? '' } as const,
        isAlone: false,
      };
      const { assertion } = await checkPasskey(deps, use, caller.user);
      await confirmWithPasskey(deps, caller, assertion);
    },
  );
};
