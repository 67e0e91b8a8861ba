import { Type } from '@petstore/service/schema-builders.ts';
import { notFound } from '../api-error.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { singlePage } from '../http/pagination.ts';
import {
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
  requiresReauthentication,
  SlugParams,
} from '../http/routes.ts';
import { GroupRole, ProjectGroup } from './group.ts';
import { readGroupsToChoose, readProjectGroups, setRoleOfGroup } from './project-groups.ts';

const operation = operationsOf('Members');
const GroupParams = Type.Object({ ...SlugParams.properties, groupId: Type.String() });

/** The groups that have a role in a project. */
export const projectGroupRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/projects/:slug/groups',
    operation('member.read', 'listProjectGroups', 'List the groups with a role', {
      params: SlugParams,
      response: pageResponse(ProjectGroup),
    }),
    async (request) => singlePage(await readProjectGroups(deps, accessOf(request).project)),
  );

  app.get(
    '/projects/:slug/groups/choices',
    operation('member.write', 'listGroupChoices', 'List the groups that can be given a role', {
      description:
        'All groups of the installation; where anybody may sign up, those that you are in.',
      params: SlugParams,
      response: pageResponse(ProjectGroup),
    }),
    async (request) =>
      singlePage(await readGroupsToChoose(deps, accessOf(request).project, callerOf(request))),
  );

  app.put(
    '/projects/:slug/groups/:groupId',
    requiresReauthentication(
      operation('member.write', 'setGroupRole', 'Give a group a role', {
        description: 'Everyone in the group has the role, as long as they are in it.',
        params: GroupParams,
        body: GroupRole,
        response: jsonResponse(200, ProjectGroup),
      }),
    ),
    async (request) => {
      const { params, body } = request;
      const { project } = accessOf(request);
      const group = await setRoleOfGroup(
        deps,
        project,
        params.groupId,
        body.role,
        callerOf(request),
      );
      if (!group) throw notFound('group');
      return group;
    },
  );

  app.delete(
    '/projects/:slug/groups/:groupId',
    requiresReauthentication(
      operation('member.write', 'removeGroupRole', 'Take the role of a group away', {
        params: GroupParams,
        response: NO_CONTENT,
      }),
    ),
    async (request) => {
      const { project } = accessOf(request);
      await setRoleOfGroup(deps, project, request.params.groupId, null, callerOf(request));
    },
  );
};
