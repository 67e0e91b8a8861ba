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
import { listScimTokens, type ScimTokenRow } from '../store/scim.ts';
import { CreatedScimToken, ScimToken } from './token.ts';
import { createScimToken, endScimToken } from './tokens.ts';

const operation = operationsOf('Groups');

/** The tokens of directories, for the installation's owner, who signs in for that. */
export const scimTokenRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/installation/scim-tokens',
    operation('installation', 'listScimTokens', 'List the tokens of directories', {
      response: pageResponse(ScimToken),
    }),
    async () => singlePage((await listScimTokens(deps.db)).map(present)),
  );

  app.post(
    '/installation/scim-tokens',
    requiresReauthentication(
      operation('installation-session', 'createScimToken', 'Make a token for a directory', {
        body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }),
        response: jsonResponse(201, CreatedScimToken, 'The token, shown this once.'),
      }),
    ),
    async (request) => {
      const { user, actor } = callerOf(request);
      const made = await createScimToken(deps, request.body.name, user.email, actor);
      const url = `${deps.addresses().dashboard}/scim/v2`;
      return { ...present(made.row), token: made.secret, url };
    },
  );

  app.delete(
    '/installation/scim-tokens/:id',
    requiresReauthentication(
      operation('installation-session', 'revokeScimToken', 'Revoke the token of a directory', {
        params: Type.Object({ id: Type.String() }),
        response: NO_CONTENT,
      }),
    ),
    (request) => endScimToken(deps, request.params.id, callerOf(request).actor),
  );
};

function present(row: ScimTokenRow): ScimToken {
  return {
    ...{ id: row.id, name: row.name, createdBy: row.created_by_email },
    createdAt: instant(row.created_at),
    lastUsedAt: instantOrNull(row.last_used_at),
    revokedAt: instantOrNull(row.revoked_at),
  };
}
