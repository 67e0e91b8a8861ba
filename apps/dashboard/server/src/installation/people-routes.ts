import { Type } from '@petstore/service/schema-builders.ts';
import { PasswordLink } from '../accounts/account.ts';
import {
  disableAccount,
  enableAccount,
  handInstallationTo,
  removeAccount,
  setEmail,
} from '../accounts/account-life.ts';
import { givePasswordLink } from '../accounts/password-links.ts';
import { callerOf } from '../http/access.ts';
import { PageQuery } from '../http/pagination.ts';
import {
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
  requiresReauthentication,
} from '../http/routes.ts';
import { instant, OneOf } from '../schema-types.ts';
import { accountById, personById, presentEndedAccess, readPeople, readPerson } from './people.ts';
import { EndedAccess, Person, PersonDetails, Removal } from './person.ts';

const operation = operationsOf('People');

const PeopleQuery = Type.Object({
  ...PageQuery.properties,
  search: Type.Optional(
    Type.String({ maxLength: 254, description: 'Part of a name or an address, in either case.' }),
  ),
  state: Type.Optional(OneOf(['active', 'disabled'])),
});

const UserParams = Type.Object({ id: Type.String() });

/**
 * The accounts of the installation, for its owner: who they are, and how they end. Tokens read them at most, as they
 * change no account.
 */
export const peopleRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/installation/users',
    operation('installation', 'listPeople', 'List all accounts', {
      querystring: PeopleQuery,
      response: pageResponse(Person),
    }),
    async (request) => readPeople(deps, request.query, callerOf(request).user.id),
  );

  app.get(
    '/installation/users/:id',
    operation('installation', 'getPerson', 'Get an account', {
      params: UserParams,
      response: jsonResponse(200, PersonDetails),
    }),
    async (request) => readPerson(deps, request.params.id, callerOf(request).user.id),
  );

  app.post(
    '/installation/users/:id/disable',
    requiresReauthentication(
      operation('installation-session', 'disablePerson', 'Disable an account', {
        description:
          'Its sessions end at once, and its tokens are refused until it is enabled again. It stays a member of its projects.',
        params: UserParams,
        response: jsonResponse(200, EndedAccess),
      }),
    ),
    async (request) => {
      const { actor } = callerOf(request);
      const { ownerless, ...ended } = await disableAccount(deps, request.params, actor);
      return presentEndedAccess({ ...ended, ownerless: ownerless.map(({ slug }) => slug) });
    },
  );

  app.post(
    '/installation/users/:id/enable',
    requiresReauthentication(
      operation('installation-session', 'enablePerson', 'Enable an account', {
        params: UserParams,
        response: jsonResponse(200, Person),
      }),
    ),
    async (request) => {
      const { actor, user } = callerOf(request);
      await enableAccount(deps, request.params, actor);
      return personById(deps, request.params.id, user.id);
    },
  );

  app.post(
    '/installation/users/:id/remove',
    requiresReauthentication(
      operation('installation-session', 'removePerson', 'Remove an account', {
        description:
          'Its sessions, tokens, memberships and open invitations end at once. Its name stays in audit logs and deploys.',
        params: UserParams,
        body: Removal,
        response: jsonResponse(200, EndedAccess),
      }),
    ),
    async (request) => {
      const { handOver = [] } = request.body;
      const handOverTo = new Map(handOver.map(({ project, to }) => [project, to]));
      const { actor } = callerOf(request);
      return presentEndedAccess(await removeAccount(deps, request.params, { handOverTo }, actor));
    },
  );

  app.put(
    '/installation/users/:id/email',
    requiresReauthentication(
      operation('installation-session', 'setPersonEmail', 'Give an account another address', {
        description:
          'Without asking there. The old address is told, if the installation sends mail.',
        params: UserParams,
        body: Type.Object({ email: Type.String({ minLength: 3, maxLength: 254 }) }),
        response: jsonResponse(200, Person),
      }),
    ),
    async (request) => {
      const { actor, user } = callerOf(request);
      await setEmail(deps, request.params, request.body.email, actor);
      return personById(deps, request.params.id, user.id);
    },
  );

  app.post(
    '/installation/users/:id/password-link',
    requiresReauthentication(
      operation('installation-session', 'makePasswordLink', 'Make a link to set a password', {
        description:
          'Mailed to the account. Where the installation sends no mail, or that fails, the response has the link, for a day. An earlier one ends.',
        params: UserParams,
        response: jsonResponse(201, PasswordLink),
      }),
    ),
    async (request) => {
      const user = await accountById(deps, request.params.id);
      const made = await givePasswordLink(deps, user, callerOf(request).actor);
      return {
        link: made.mailed ? null : made.link,
        mailed: made.mailed,
        mailError: made.mailError ?? null,
        expiresAt: instant(made.expiresAt),
      };
    },
  );

  app.post(
    '/installation/owner',
    requiresReauthentication(
      operation('installation-session', 'handOverInstallation', 'Hand the installation over', {
        description: 'Another account owns it from now on. You keep your projects.',
        body: Type.Object({ userId: Type.String() }),
        response: NO_CONTENT,
      }),
    ),
    (request) => handInstallationTo(deps, { id: request.body.userId }, callerOf(request).actor),
  );
};
