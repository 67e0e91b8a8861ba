import { instant } from '../../schema-types.ts';
import type { GroupRow } from '../../store/groups.ts';
import type { Resource } from '../resource.ts';
import { GROUP_URN } from '../schema.ts';

/** Somebody whom a directory has put into a group. */
export interface ScimMember {
  readonly user_id: string;
  readonly name: string;
}

/** A group as responses have it; without members where they were not read. */
export function presentGroup(
  group: GroupRow,
  members: readonly ScimMember[] | undefined,
  address: string,
): Resource {
  const { id, name, external_id, created_at, updated_at } = group;
  return {
    schemas: [GROUP_URN],
    id,
    ...groupAttributes(group),
    displayName: name,
    ...(external_id !== null && { externalId: external_id }),
    ...(members && {
      members: members.map((member) => ({
        ...{ value: member.user_id, display: member.name, type: 'User' },
        $ref: `${address}/Users/${member.user_id}`,
      })),
    }),
    meta: {
      ...{ resourceType: 'Group', created: instant(created_at), lastModified: instant(updated_at) },
      ...{ location: `${address}/Groups/${id}`, version: groupVersion(group) },
    },
  };
}

/** A group's attributes that clients set, without its members. */
export function groupAttributes({ name, external_id }: GroupRow): Resource {
  return { displayName: name, ...(external_id !== null && { externalId: external_id }) };
}

/** The entity tag of a group: each change of it has an instant of its own. */
export function groupVersion({ updated_at }: GroupRow): string {
  return `W/"${updated_at.toString(36)}"`;
}
