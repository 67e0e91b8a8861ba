import { ApiError } from '@petstore/http/errors.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import { invalidRequest } from '../api-error.ts';
import { clientAddress } from '../http/client-address.ts';
import { operationsOf, type Routes } from '../http/routes.ts';
import { endByLogoutToken } from './backchannel-logout.ts';
import { providerOf } from './oidc-routes.ts';

const operation = operationsOf('Sign-in with a provider');

/** Where providers tell that someone has signed out. They send a form. */
export const backchannelLogoutRoute: Routes = async (app, { deps }) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(`${body}`))),
  );
  app.post<{ Params: { provider: string }; Body: { logout_token?: string } | undefined }>(
    '/oidc/:provider/backchannel-logout',
    {
      ...operation('public', 'receiveBackchannelLogout', 'End the sessions that a provider ended', {
        description:
          'OpenID Connect Back-Channel Logout 1.0: a form with a `logout_token`, signed by the provider.',
        params: Type.Object({ provider: Type.String() }),
        response: { 200: { type: 'null', description: 'Ended; or there were none.' } },
      }),
      errorHandler: (error) => {
        if ((error as { code?: string }).code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') throw error;
        throw new ApiError(
          'unsupported_media_type',
          'The body must be a form: application/x-www-form-urlencoded, with a logout_token.',
        );
      },
    },
    async (request, reply) => {
      const provider = providerOf(deps, request.params.provider);
      const token = request.body?.logout_token;
      if (!token) throw invalidRequest('logout_token must be in the form.');
      await endByLogoutToken(deps, provider, token, clientAddress(request));
      return reply.code(200).send(null);
    },
  );
};
