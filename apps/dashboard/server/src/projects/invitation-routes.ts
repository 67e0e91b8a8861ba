import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@petstore/service/schema-builders.ts';
import { accessOrNotFound, accessTo } from '../accounts/caller.ts';
import type { Deps } from '../deps.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { singlePage } from '../http/pagination.ts';
import { jsonResponse, NO_CONTENT, pageResponse } from '../http/responses.ts';
import { listInvitations } from '../store/invitations.ts';
import {
  acceptInvitation,
  invitationBySecret,
  invite,
  presentInvitation,
  revokeInvitation,
} from './invitations.ts';
import { Invitation, MadeInvitation, NewInvitation, OpenInvitation, Project } from './project.ts';
import { SlugParams } from './project-routes.ts';
import { presentProject } from './projects.ts';

const tags = ['Invitations'];
const SecretParams = Type.Object({ secret: Type.String({ maxLength: 200 }) });

/** Invitations to a project, and accepting one. */
export const invitationRoutes: FastifyPluginCallbackTypebox<{ deps: Deps }> = (
  app,
  { deps },
  done,
) => {
  app.get(
    '/projects/:slug/invitations',
    {
      config: { access: 'member.write' },
      schema: {
        tags,
        operationId: 'listInvitations',
        summary: 'List invitations',
        params: SlugParams,
        response: pageResponse(Invitation),
      },
    },
    async (request) => {
      const rows = await listInvitations(deps.db, accessOf(request).project.id);
      return singlePage(rows.map((row) => presentInvitation(row, deps.now())));
    },
  );

  app.post(
    '/projects/:slug/invitations',
    {
      config: { access: 'member.write' },
      schema: {
        tags,
        operationId: 'createInvitation',
        summary: 'Invite someone',
        description:
          'The response has a link to hand over, shown this once: invitations are not mailed.',
        params: SlugParams,
        body: NewInvitation,
        response: jsonResponse(201, MadeInvitation),
      },
    },
    async (request, reply) => {
      const made = await invite(deps, accessOf(request).project, request.body, callerOf(request));
      return reply.code(201).send(made);
    },
  );

  app.delete(
    '/projects/:slug/invitations/:id',
    {
      config: { access: 'member.write' },
      schema: {
        tags,
        operationId: 'revokeInvitation',
        summary: 'Revoke an invitation',
        params: Type.Object({ ...SlugParams.properties, id: Type.String() }),
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      await revokeInvitation(deps, accessOf(request).project, request.params.id, callerOf(request));
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/invitations/:secret',
    {
      config: { access: 'public' },
      schema: {
        tags,
        operationId: 'getInvitation',
        summary: 'What an invitation is for',
        params: SecretParams,
        response: jsonResponse(200, OpenInvitation),
      },
    },
    async (request) => {
      const row = await invitationBySecret(deps, request.params.secret);
      const { email, role, invitedBy, expiresAt } = presentInvitation(row, deps.now());
      return { project: row.project_name, slug: row.slug, email, role, invitedBy, expiresAt };
    },
  );

  app.post(
    '/invitations/:secret/accept',
    {
      config: { access: 'session' },
      schema: {
        tags,
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation',
        params: SecretParams,
        response: jsonResponse(200, Project),
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const { project, role } = await acceptInvitation(deps, request.params.secret, caller);
      return presentProject(deps, accessOrNotFound(accessTo(caller, project, role)));
    },
  );

  done();
};
