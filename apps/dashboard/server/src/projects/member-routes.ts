import { Type } from '@petstore/service/schema-builders.ts';
import { accessOf, callerOf } from '../http/access.ts';
import { singlePage } from '../http/pagination.ts';
import {
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
  SlugParams,
} from '../http/routes.ts';
import { instant } from '../schema-types.ts';
import { listMembers, type MemberRow } from '../store/members.ts';
import { changeRole, removeMember } from './members.ts';
import { Member, RoleChange } from './project.ts';

const operation = operationsOf('Members');
const MemberParams = Type.Object({ ...SlugParams.properties, userId: Type.String() });

/** The members of a project and their roles. */
export const memberRoutes: Routes = async (app, { deps }) => {
  app.get(
    '/projects/:slug/members',
    operation('member.read', 'listMembers', 'List members', {
      params: SlugParams,
      response: pageResponse(Member),
    }),
    async (request) => {
      const { user } = callerOf(request);
      const rows = await listMembers(deps.db, accessOf(request).project.id);
      return singlePage(rows.map((row) => present(row, user.id)));
    },
  );

  app.patch(
    '/projects/:slug/members/:userId',
    operation('member.write', 'changeMemberRole', "Change a member's role", {
      params: MemberParams,
      body: RoleChange,
      response: jsonResponse(200, Member),
    }),
    async (request) => {
      const caller = callerOf(request);
      const { project } = accessOf(request);
      const row = await changeRole(deps, project, request.params.userId, request.body.role, caller);
      return present(row, caller.user.id);
    },
  );

  app.delete(
    '/projects/:slug/members/:userId',
    {
      ...operation('member.write', 'removeMember', 'Remove a member, or leave', {
        params: MemberParams,
        response: NO_CONTENT,
      }),
      config: { access: 'member.write', allowsSelf: true, requiresReauthentication: true },
    },
    (request) =>
      removeMember(deps, accessOf(request).project, request.params.userId, callerOf(request)),
  );
};

function present(row: MemberRow, callerId: string): Member {
  const { user_id, email, name, role, own_role, through, since, disabled_at } = row;
  return {
    ...{ userId: user_id, email, name, role },
    ownRole: own_role,
    through: through.map((group) => ({ ...group })),
    since: instant(since),
    isYou: user_id === callerId,
    isDisabled: disabled_at !== null,
  };
}
