import { Type } from '@petstore/service/schema-builders.ts';
import { callerOf } from '../http/access.ts';
import { singlePage } from '../http/pagination.ts';
import {
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
  requiresReauthentication,
} from '../http/routes.ts';
import { instant, instantOrNull } from '../schema-types.ts';
import { listIdentities } from '../store/identities.ts';
import { unlinkIdentity } from './identities.ts';
import { providerOf, startFlow } from './oidc-routes.ts';
import { returnPath } from './return-path.ts';
import { Identity, SignInStart } from './sign-in.ts';

const operation = operationsOf('Account');

/** A user's own accounts at providers. */
export const identityRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/account/identities',
    operation('session', 'listIdentities', 'List the providers that you sign in with', {
      response: pageResponse(Identity),
    }),
    async (request) => {
      const rows = await listIdentities(deps.db, callerOf(request).user.id);
      return singlePage(
        rows.map(({ id, provider, email, created_at, last_used_at }) => ({
          ...{ id, provider, email },
          providerName: deps.providers.find(provider)?.config.name ?? provider,
          createdAt: instant(created_at),
          lastUsedAt: instantOrNull(last_used_at),
        })),
      );
    },
  );

  app.post(
    '/account/identities/:provider/start',
    requiresReauthentication(
      operation('session', 'startLink', 'Begin to link your account with a provider', {
        params: Type.Object({ provider: Type.String() }),
        response: jsonResponse(200, SignInStart),
      }),
    ),
    async (request, reply) => {
      const { sessionId = '' } = callerOf(request);
      const provider = providerOf(deps, request.params.provider);
      const purpose = { kind: 'link', sessionId } as const;
      return startFlow(request, reply, deps, provider, { purpose, next: '/account/security' });
    },
  );

  app.post(
    '/session/confirmation/providers/:provider/start',
    operation('session', 'startConfirmation', 'Begin to confirm that it is you, with a provider', {
      description:
        'The provider asks you again. For 15 minutes sensitive changes are possible then.',
      params: Type.Object({ provider: Type.String() }),
      body: Type.Object({ next: Type.Optional(Type.String({ maxLength: 4_000 })) }),
      response: jsonResponse(200, SignInStart),
    }),
    async (request, reply) => {
      const { sessionId = '' } = callerOf(request);
      const provider = providerOf(deps, request.params.provider);
      const next = returnPath(request.body.next, deps.addresses().dashboard);
      const purpose = { kind: 'confirm', sessionId } as const;
      return startFlow(request, reply, deps, provider, { purpose, next });
    },
  );

  app.delete(
    '/account/identities/:id',
    requiresReauthentication(
      operation('session', 'unlinkIdentity', 'Unlink your account from a provider', {
        description: 'Ends the sessions that began with it. Not the only way into your account.',
        params: Type.Object({ id: Type.String() }),
        response: NO_CONTENT,
      }),
    ),
    (request) => unlinkIdentity(deps, callerOf(request), request.params.id),
  );
};
