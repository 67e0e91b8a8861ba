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
import { isSlug } from '../projects/slug.ts';
import { instant } from '../schema-types.ts';
import { findProject } from '../store/projects.ts';
import { listTokens } from '../store/tokens.ts';
import type { UserRow } from '../store/users.ts';
import {
  ApiToken,
  CreatedToken,
  EmailChange,
  NewEmail,
  NewToken,
  OwnAccount,
  PasswordChange,
  PersonName,
  User,
} from './account.ts';
import { changePassword, renameUser } from './accounts.ts';
import { accessTo, type Caller } from './caller.ts';
import { claimAccount } from './claim-account.ts';
import { cancelEmailChange, changeOwnEmail, pendingEmail } from './email-change.ts';
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
    (request) => changePassword(deps, callerOf(request), request.body),
  );

  app.get(
    '/account/email',
    operation('session', 'getEmailChange', 'The address that you are to have', {
      response: jsonResponse(200, EmailChange),
    }),
    async (request) => presentEmailChange(callerOf(request), callerOf(request).user),
  );

  app.post(
    '/account/email',
    requiresReauthentication(
      operation('session', 'changeEmail', 'Change your e-mail address', {
        description:
          'A link is mailed to the new address, and the old one is told. The address is changed when the link is used. Where the installation sends no mail, it is changed at once.',
        body: NewEmail,
        response: jsonResponse(200, EmailChange),
      }),
    ),
    async (request) => {
      const caller = callerOf(request);
      const { user } = await changeOwnEmail(deps, caller, request.body);
      return presentEmailChange(caller, user);
    },
  );

  app.delete(
    '/account/email',
    operation('session', 'cancelEmailChange', 'Keep your e-mail address', {
      description: 'Ends the link that was mailed to the new one.',
      response: NO_CONTENT,
    }),
    (request) => cancelEmailChange(deps, callerOf(request)),
  );

  app.post(
    '/account/claim',
    requiresReauthentication(
      operation('session', 'claimAccount', 'Make the account of a first start your own', {
        body: OwnAccount,
        response: jsonResponse(200, User),
      }),
    ),
    async (request) => presentUser(await claimAccount(deps, callerOf(request), request.body)),
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
    requiresReauthentication(
      operation('session', 'createToken', 'Create an API token', {
        body: NewToken,
        response: jsonResponse(201, CreatedToken, 'The token, shown this once.'),
      }),
    ),
    async (request) => {
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
      return created;
    },
  );

  app.delete(
    '/account/tokens/:id',
    requiresReauthentication(
      operation('session', 'revokeToken', 'Revoke an API token', {
        params: Type.Object({ id: Type.String() }),
        response: NO_CONTENT,
      }),
    ),
    async (request) => {
      const { user, actor } = callerOf(request);
      await revokeToken(deps, request.params.id, { userId: user.id }, actor);
    },
  );

  async function presentEmailChange(caller: Caller, user: UserRow) {
    const pending = await pendingEmail(deps, caller);
    return {
      pending: pending ? { email: pending.email, expiresAt: instant(pending.expires_at) } : null,
      user: presentUser(user),
    };
  }

  async function projectOfCaller(caller: Caller, slug: string) {
    const found = isSlug(slug) ? await findProject(deps.db, slug, caller.user.id) : undefined;
    return accessTo(caller, found).project;
  }
};
