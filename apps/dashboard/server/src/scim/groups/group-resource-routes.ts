import type { FastifyPluginAsync } from 'fastify';
import type { Deps } from '../../deps.ts';
import { listScimMembers } from '../../store/scim.ts';
import { routeResources } from '../resource-routes.ts';
import { GROUP } from '../schema.ts';
import { presentGroup } from './group-resource.ts';
import { listGroups } from './list-groups.ts';
import { changeScimGroup, createScimGroup, deleteScimGroup, readScimGroup } from './scim-groups.ts';

/** Groups as SCIM has them. */
export const groupResourceRoutes: FastifyPluginAsync<{
  deps: Deps;
  address: () => string;
}> = async (app, { deps, address }) => {
  routeResources(app, {
    type: GROUP,
    list: (query) => listGroups(deps, query, address()),
    async read(id) {
      const group = await readScimGroup(deps, id);
      return presentGroup(group, await listScimMembers(deps.db, [id]), address());
    },
    create: (resource, { actor }) => createScimGroup(deps, resource, actor),
    change: (id, apply, change) => changeScimGroup(deps, id, apply, change),
    remove: (id, change) => deleteScimGroup(deps, id, change),
  });
};
