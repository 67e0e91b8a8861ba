import type { FastifyPluginAsync } from 'fastify';
import type { Deps } from '../../deps.ts';
import { listGroupsOfUsers } from '../../store/scim.ts';
import { routeResources } from '../resource-routes.ts';
import { USER } from '../schema.ts';
import { listUsers } from './list-users.ts';
import { presentUser } from './user-resource.ts';
import { changeScimUser, createScimUser, deleteScimUser, readUser } from './users.ts';

/** Accounts as SCIM has them. */
export const userResourceRoutes: FastifyPluginAsync<{
  deps: Deps;
  address: () => string;
}> = async (app, { deps, address }) => {
  routeResources(app, {
    type: USER,
    list: (query) => listUsers(deps, query, address()),
    async read(id) {
      const row = await readUser(deps, id);
      return presentUser(row, await listGroupsOfUsers(deps.db, [id]), address());
    },
    create: async (resource, { actor }) => (await createScimUser(deps, resource, actor)).id,
    async change(id, apply, change) {
      await changeScimUser(deps, id, apply, change);
    },
    remove: (id, change) => deleteScimUser(deps, id, change),
  });
};
