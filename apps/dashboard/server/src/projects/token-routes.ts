import { Type } from '@petstore/service/schema-builders.ts';
import { ApiToken, CreatedToken, NewToken } from '../accounts/account.ts';
import { presentToken } from '../accounts/present-account.ts';
import { createToken, revokeToken } from '../accounts/tokens.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { singlePage } from '../http/pagination.ts';
import {
  ItemParams,
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
  requiresReauthentication,
  SlugParams,
} from '../http/routes.ts';
import { listTokens } from '../store/tokens.ts';

const operation = operationsOf('Project tokens');
const { name, scopes, expiresInDays } = NewToken.properties;

/** API tokens for one project, with the permissions of the users who created them. */
export const projectTokenRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/projects/:slug/tokens',
    operation('token.manage', 'listProjectTokens', "List the project's tokens", {
      params: SlugParams,
      response: pageResponse(ApiToken),
    }),
    async (request) => {
      const rows = await listTokens(deps.db, { projectId: accessOf(request).project.id });
      return singlePage(rows.map(presentToken));
    },
  );

  app.post(
    '/projects/:slug/tokens',
    requiresReauthentication(
      operation('token.manage', 'createProjectToken', 'Create a token for the project', {
        params: SlugParams,
        body: Type.Object({ name, scopes, expiresInDays }),
        response: jsonResponse(201, CreatedToken, 'The token, shown this once.'),
      }),
    ),
    async (request) => {
      const { user, actor } = callerOf(request);
      const { project } = accessOf(request);
      const created = await createToken(deps, user, { ...request.body, project }, actor);
      return created;
    },
  );

  app.delete(
    '/projects/:slug/tokens/:id',
    requiresReauthentication(
      operation('token.manage', 'revokeProjectToken', 'Revoke a token of the project', {
        params: ItemParams,
        response: NO_CONTENT,
      }),
    ),
    (request) =>
      revokeToken(
        deps,
        request.params.id,
        { projectId: accessOf(request).project.id },
        callerOf(request).actor,
      ),
  );
};
