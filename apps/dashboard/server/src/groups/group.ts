import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf } from '../schema-types.ts';

const RoleName = OneOf(['owner', 'editor', 'viewer']);
const GroupName = Type.String({ minLength: 1, maxLength: 255 });

/** `POST /api/installation/groups`, and `PATCH …/{id}`. */
export const GroupInput = Type.Object({ name: GroupName });

/** A group as the installation's owner sees it. */
export const Group = Type.Object(
  {
    id: Type.String(),
    name: GroupName,
    source: OneOf(['local', 'scim'], {
      description: 'Who changes it: people here, or a directory by SCIM.',
    }),
    members: Type.Integer({ description: 'How many people are in it.' }),
    createdAt: Instant,
    roles: Type.Array(
      Type.Object({ project: Type.String(), name: Type.String(), role: RoleName }),
      {
        description: 'Its roles, by the slugs of the projects.',
      },
    ),
  },
  { $id: 'Group' },
);
export type Group = Static<typeof Group>;

/** `POST …/members`: the address of an account. */
export const NewGroupMember = Type.Object({
  email: Type.String({ minLength: 3, maxLength: 254 }),
});

/** Somebody in a group. */
export const GroupMember = Type.Object(
  {
    userId: Type.String(),
    email: Type.String(),
    name: Type.String(),
    disabledAt: Nullable(Instant),
    sources: Type.Array(Type.String(), {
      description:
        'Who says that they are in it: `local` (by hand here), `scim` (a directory), or `oidc:` and the name of a provider.',
    }),
  },
  { $id: 'GroupMember' },
);
export type GroupMember = Static<typeof GroupMember>;

/** A group with a role in a project, or one that can be given a role. */
export const ProjectGroup = Type.Object(
  {
    id: Type.String(),
    name: GroupName,
    source: OneOf(['local', 'scim']),
    members: Type.Integer(),
    role: Nullable(RoleName),
  },
  { $id: 'ProjectGroup' },
);
export type ProjectGroup = Static<typeof ProjectGroup>;

/** `PUT /api/projects/{slug}/groups/{groupId}` */
export const GroupRole = Type.Object({ role: RoleName });
