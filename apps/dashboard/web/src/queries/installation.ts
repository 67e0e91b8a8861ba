import { queryOptions } from '@tanstack/react-query';
import type { Installation } from '../../../server/src/accounts/account.ts';
import type { InstallationSecurity } from '../../../server/src/accounts/factors/factor.ts';
import type { Group, GroupMember } from '../../../server/src/groups/group.ts';
import type { Person, PersonDetails } from '../../../server/src/installation/person.ts';
import type { SignInProvider } from '../../../server/src/oidc/sign-in.ts';
import type { ScimToken } from '../../../server/src/scim/token.ts';
import type { InstallationZone, ZoneCheck } from '../../../server/src/zone/zone.ts';
import { path } from '../api.ts';
import { get, list, pagedList, WAITING_INTERVAL_MS } from './get.ts';
import { keys } from './keys.ts';

export const installationQuery = queryOptions({
  queryKey: keys.installation,
  queryFn: get<Installation>('/installation'),
});

/** The installation's accounts whose name or address contains a text. */
export const peopleQuery = (search: string) =>
  pagedList<Person>(
    [...keys.people, search],
    search === ''
      ? '/installation/users'
      : `/installation/users?search=${encodeURIComponent(search)}`,
  );

export const personQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.people, 'one', id],
    queryFn: get<PersonDetails>(path`/installation/users/${id}`),
  });

export const groupsQuery = pagedList<Group>([...keys.groups, 'list'], '/installation/groups');

export const groupQuery = (id: string) =>
  queryOptions({ queryKey: keys.group(id), queryFn: get<Group>(path`/installation/groups/${id}`) });

export const groupMembersQuery = (id: string) =>
  pagedList<GroupMember>([...keys.group(id), 'members'], path`/installation/groups/${id}/members`);

/** The tokens of directories that may still be used. */
export const scimTokensQuery = list<ScimToken>(
  keys.scimTokens,
  '/installation/scim-tokens',
  ({ revokedAt }) => revokedAt === null,
);

export const securityQuery = queryOptions({
  queryKey: keys.security,
  queryFn: get<InstallationSecurity>('/installation/security'),
});

/** The providers of the installation, for its owner. */
export const signInProvidersQuery = list<SignInProvider>(
  keys.signInProviders,
  '/installation/sign-in',
);

/** The zone of the installation, and whether it is delegated: that asks name servers, so only when someone looks. */
export const zoneQuery = queryOptions({
  queryKey: ['zone'],
  queryFn: get<InstallationZone>('/zone'),
  refetchInterval: WAITING_INTERVAL_MS,
});
export const zoneCheckQuery = queryOptions({
  queryKey: ['zone', 'check'],
  queryFn: get<ZoneCheck>('/zone/check'),
});
