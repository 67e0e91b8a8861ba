import { Type } from '@petstore/service/schema-builders.ts';
import { callerOf } from '../http/access.ts';
import { singlePage } from '../http/pagination.ts';
import {
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
} from '../http/routes.ts';
import { isSlug } from '../projects/slug.ts';
import { findProject } from '../store/projects.ts';
import { listTokens } from '../store/tokens.ts';
import { ApiToken, CreatedToken, NewToken, PasswordChange, PersonName, User } from './account.ts';
import { changePassword, renameUser } from './accounts.ts';
import { accessTo, type Caller } from './caller.ts';
import { presentToken, presentUser } from './present-account.ts';
import { createToken, revokeToken } from './tokens.ts';

const operation = operationsOf('Account');

/** A user's own account: name, password, API tokens. */
export const accountRoutes: Routes = async (app, { deps }) => {
  app.patch(
    '/account',
    operation('session', 'renameAccount', 'Change your name', {
      body: Type.Object({ name: PersonName }),
      response: jsonResponse(200, User),
    }),
    async (request) => presentUser(await renameUser(deps, callerOf(request), request.body.name)),
  );

  app.post(
    '/account/password',
    operation('session', 'changePassword', 'Change your password', {
      description:
        'Ends all your other sessions. Your API tokens go on working, unless `revokeTokens` is true.',
      body: PasswordChange,
      response: NO_CONTENT,
    }),
    async (request, reply) => {
      await changePassword(deps, callerOf(request), request.body);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/account/tokens',
    operation('session', 'listTokens', 'List your API tokens', {
      response: pageResponse(ApiToken),
    }),
    async (request) => {
      const rows = await listTokens(deps.db, { userId: callerOf(request).user.id });
      return singlePage(rows.map(presentToken));
    },
  );

  app.post(
    '/account/tokens',
    operation('session', 'createToken', 'Create an API token', {
      body: NewToken,
      response: jsonResponse(201, CreatedToken, 'The token, shown this once.'),
    }),
    async (request, reply) => {
      const caller = callerOf(request);
      const { project: slug } = request.body;
      const project =
        slug === undefined || slug === null ? null : await projectOfCaller(caller, slug);
      const created = await createToken(
        deps,
        caller.user,
        { ...request.body, project },
        caller.actor,
      );
      return reply.code(201).send(created);
    },
  );

  app.delete(
    '/account/tokens/:id',
    operation('session', 'revokeToken', 'Revoke an API token', {
      params: Type.Object({ id: Type.String() }),
      response: NO_CONTENT,
    }),
    async (request, reply) => {
      const { user, actor } = callerOf(request);
      await revokeToken(deps, request.params.id, { userId: user.id }, actor);
      return reply.code(204).send(null);
    },
  );

  async function projectOfCaller(caller: Caller, slug: string) {
    const found = isSlug(slug) ? await findProject(deps.db, slug, caller.user.id) : undefined;
    return accessTo(caller, found).project;
  }
};
