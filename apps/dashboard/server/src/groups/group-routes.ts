import { Type } from '@petstore/service/schema-builders.ts';
import { callerOf } from '../http/access.ts';
import { PageQuery, readPage } from '../http/pagination.ts';
import {
  jsonResponse,
  NO_CONTENT,
  operationsOf,
  pageResponse,
  type Routes,
  requiresReauthentication,
} from '../http/routes.ts';
import { listGroupMembers, listGroups } from '../store/groups.ts';
import { Group, GroupInput, GroupMember, NewGroupMember } from './group.ts';
import {
  addMember,
  changeByHand,
  createGroup,
  deleteGroup,
  presentGroupMembers,
  presentGroups,
  readGroup,
  refuseDirectory,
  removeMember,
  renameGroup,
} from './groups.ts';

const operation = operationsOf('Groups');
const GroupParams = Type.Object({ groupId: Type.String() });
const MemberParams = Type.Object({ ...GroupParams.properties, memberId: Type.String() });

/** The groups of the installation, for its owner. */
export const groupRoutes: Routes = async (app, { deps }) => {
  const { db, now } = deps;

  app.get(
    '/installation/groups',
    operation('installation', 'listGroups', 'List groups', {
      querystring: PageQuery,
      response: pageResponse(Group),
    }),
    async (request) => {
      const page = await readPage(
        request.query,
        (after, limit) => listGroups(db, { after, limit }),
        ({ name_key }) => name_key,
        (row) => row,
      );
      return { ...page, items: await presentGroups(db, page.items) };
    },
  );

  app.post(
    '/installation/groups',
    operation('installation', 'createGroup', 'Make a group', {
      body: GroupInput,
      response: jsonResponse(201, Group),
    }),
    async (request) => {
      const { actor } = callerOf(request);
      const made = await db
        .transaction()
        .execute((trx) =>
          createGroup(trx, { name: request.body.name, source: 'local' }, now(), actor),
        );
      return readGroup(db, made.id);
    },
  );

  app.get(
    '/installation/groups/:groupId',
    operation('installation', 'getGroup', 'Get a group', {
      params: GroupParams,
      response: jsonResponse(200, Group),
    }),
    async (request) => readGroup(db, request.params.groupId),
  );

  app.patch(
    '/installation/groups/:groupId',
    requiresReauthentication(
      operation('installation', 'renameGroup', 'Rename a group', {
        description: 'One that comes from a directory keeps the name that it has there.',
        params: GroupParams,
        body: GroupInput,
        response: jsonResponse(200, Group),
      }),
    ),
    async (request) => {
      const { groupId } = request.params;
      const caller = callerOf(request);
      await changeByHand(deps, groupId, caller, async (trx, group, at) => {
        refuseDirectory(group);
        await renameGroup(trx, group, request.body.name, at, caller.actor);
      });
      return readGroup(db, groupId);
    },
  );

  app.delete(
    '/installation/groups/:groupId',
    requiresReauthentication(
      operation('installation', 'deleteGroup', 'Delete a group', {
        description:
          'With its roles in projects. A directory that still knows the group may make it again, without roles.',
        params: GroupParams,
        response: NO_CONTENT,
      }),
    ),
    async (request) => {
      const caller = callerOf(request);
      await changeByHand(deps, request.params.groupId, caller, (trx, group, at) =>
        deleteGroup(trx, group, at, caller.actor),
      );
    },
  );

  app.get(
    '/installation/groups/:groupId/members',
    operation('installation', 'listGroupMembers', 'List the members of a group', {
      params: GroupParams,
      querystring: PageQuery,
      response: pageResponse(GroupMember),
    }),
    async (request) => {
      const { groupId } = request.params;
      await readGroup(db, groupId);
      return readPage(
        request.query,
        async (after, limit) =>
          presentGroupMembers(await listGroupMembers(db, groupId, { after, limit })),
        ({ email }) => email,
        (member) => member,
      );
    },
  );

  app.post(
    '/installation/groups/:groupId/members',
    requiresReauthentication(
      operation('installation', 'addGroupMember', 'Put an account into a group', {
        params: GroupParams,
        body: NewGroupMember,
        response: jsonResponse(201, GroupMember),
      }),
    ),
    (request) => addMember(deps, request.params.groupId, request.body.email, callerOf(request)),
  );

  app.delete(
    '/installation/groups/:groupId/members/:memberId',
    operation('installation', 'removeGroupMember', 'Take an account out of a group', {
      params: MemberParams,
      response: NO_CONTENT,
    }),
    async (request) => {
      const { groupId, memberId } = request.params;
      await removeMember(deps, groupId, memberId, callerOf(request));
    },
  );
};
