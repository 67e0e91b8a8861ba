import { Type } from '@petstore/service/schema-builders.ts';
import { accessTo } from '../accounts/caller.ts';
import { checkConfirmed } from '../accounts/factors/confirmation.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { singlePage } from '../http/pagination.ts';
import {
  ItemParams,
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
  SlugParams,
} from '../http/routes.ts';
import { listInvitations } from '../store/invitations.ts';
import {
  acceptInvitation,
  invitationBySecret,
  invite,
  presentInvitation,
  revokeInvitation,
} from './invitations.ts';
import {
  CreatedInvitation,
  Invitation,
  NewInvitation,
  OpenInvitation,
  Project,
} from './project.ts';
import { presentProject } from './projects.ts';

const operation = operationsOf('Invitations');
const SecretParams = Type.Object({ secret: Type.String({ maxLength: 200 }) });

/** Invitations to a project, and accepting one. */
export const invitationRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/projects/:slug/invitations',
    operation('member.write', 'listInvitations', 'List invitations', {
      params: SlugParams,
      response: pageResponse(Invitation),
    }),
    async (request) => {
      const rows = await listInvitations(deps.db, accessOf(request).project.id);
      return singlePage(rows.map((row) => presentInvitation(row, deps.now())));
    },
  );

  app.post(
    '/projects/:slug/invitations',
    operation('member.write', 'createInvitation', 'Invite someone', {
      description:
        'The invitation is mailed. Where the installation sends no mail, or that fails, the response has a link to hand over, shown this once.',
      params: SlugParams,
      body: NewInvitation,
      response: jsonResponse(201, CreatedInvitation),
    }),
    async (request) => {
      const caller = callerOf(request);
      if (request.body.role === 'owner') checkConfirmed(caller, deps.now());
      const made = await invite(deps, accessOf(request).project, request.body, caller);
      return made;
    },
  );

  app.delete(
    '/projects/:slug/invitations/:id',
    operation('member.write', 'revokeInvitation', 'Revoke an invitation', {
      params: ItemParams,
      response: NO_CONTENT,
    }),
    (request) =>
      revokeInvitation(deps, accessOf(request).project, request.params.id, callerOf(request)),
  );

  app.get(
    '/invitations/:secret',
    operation('public', 'getInvitation', 'What an invitation is for', {
      params: SecretParams,
      response: jsonResponse(200, OpenInvitation),
    }),
    async (request) => {
      const row = await invitationBySecret(deps, request.params.secret);
      const { email, role, invitedBy, expiresAt } = presentInvitation(row, deps.now());
      return { project: row.project_name, slug: row.slug, email, role, invitedBy, expiresAt };
    },
  );

  app.post(
    '/invitations/:secret/accept',
    operation('session', 'acceptInvitation', 'Accept an invitation', {
      params: SecretParams,
      response: jsonResponse(200, Project),
    }),
    async (request) => {
      const caller = callerOf(request);
      const joined = await acceptInvitation(deps, request.params.secret, caller);
      return presentProject(deps, accessTo(caller, joined));
    },
  );
};
