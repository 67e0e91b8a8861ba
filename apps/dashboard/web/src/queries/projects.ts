import { queryOptions } from '@tanstack/react-query';
import type { ProjectGroup } from '../../../server/src/groups/group.ts';
import type { MovedAddress } from '../../../server/src/projects/moved-address.ts';
import type {
  Invitation,
  Member,
  OpenInvitation,
  Project,
} from '../../../server/src/projects/project.ts';
import { path } from '../api.ts';
import { deployInterval } from './deploys.ts';
import { get, list, pagedList } from './get.ts';
import { keys } from './keys.ts';

export const projectsQuery = pagedList<Project>(keys.projects, '/projects', (projects) =>
  deployInterval(projects.map(({ latest }) => latest)),
);

export const projectQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.project(slug),
    queryFn: get<Project>(path`/projects/${slug}`),
    refetchInterval: ({ state }) => deployInterval([state.data?.latest]),
  });

/** The addresses that the project had before, and that lead to it. */
export const movedAddressesQuery = (slug: string) =>
  list<MovedAddress>(
    [...keys.project(slug), 'moved addresses'],
    path`/projects/${slug}/moved-addresses`,
  );

export const membersQuery = (slug: string) =>
  list<Member>(keys.members(slug), path`/projects/${slug}/members`);

/** The groups with a role in a project. */
export const projectGroupsQuery = (slug: string) =>
  list<ProjectGroup>(keys.projectGroups(slug), path`/projects/${slug}/groups`);

/** The groups that can be given a role in a project. */
export const groupChoicesQuery = (slug: string) =>
  list<ProjectGroup>(
    [...keys.projectGroups(slug), 'choices'],
    path`/projects/${slug}/groups/choices`,
  );

/** The invitations that nobody has accepted yet. */
export const invitationsQuery = (slug: string) =>
  list<Invitation>(
    keys.invitations(slug),
    path`/projects/${slug}/invitations`,
    ({ state }) => state === 'open',
  );

export const invitationQuery = (secret: string) =>
  queryOptions({
    queryKey: ['invitation', secret],
    queryFn: get<OpenInvitation>(path`/invitations/${secret}`),
  });
