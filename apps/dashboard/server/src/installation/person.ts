import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { RoleName } from '../projects/project.ts';
import { Instant, Nullable, ref } from '../schema-types.ts';

const OptionalInstant = (description: string) =>
  Nullable(Type.Unsafe<string>({ ...Instant, description }));

/** An account as the installation's owner sees it. `GET /api/installation/users` */
export const Person = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    isInstallationOwner: Type.Boolean(),
    isYou: Type.Boolean(),
    createdAt: Instant,
    disabledAt: OptionalInstant(
      'Since then its sessions and tokens are refused; null: it is not disabled.',
    ),
    lastSeenAt: OptionalInstant('When a session of it was used last.'),
    projects: Type.Integer({ description: 'How many projects it owns.' }),
    tokens: Type.Integer({ description: 'How many API tokens it has that have not ended.' }),
  },
  { $id: 'Person' },
);
export type Person = Static<typeof Person>;

/** A token that a program used within the last 30 days: what breaks when it ends. */
export const UsedToken = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    isForAll: Type.Boolean({ description: 'It is for all projects of the account.' }),
    projects: Type.Array(Type.String(), {
      description:
        'Slugs of its project or, where it is for all, of those that it changed something in.',
    }),
    lastUsedAt: Instant,
  },
  { $id: 'UsedToken' },
);
export type UsedToken = Static<typeof UsedToken>;

const Heir = Type.Object({
  userId: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: Nullable(RoleName),
});

/** `GET /api/installation/users/{id}` */
export const PersonDetails = Type.Object(
  {
    ...Person.properties,
    memberships: Type.Array(
      Type.Object({
        project: Type.String({ description: 'The slug.' }),
        name: Type.String(),
        role: RoleName,
        isOnlyOwner: Type.Boolean({
          description: 'No other owner of the project can sign in.',
        }),
        heirs: Type.Array(Heir, {
          description:
            'Who could take the project over: its other owners, its editors, the owner of the installation, its viewers, in this order.',
        }),
      }),
    ),
    usedTokens: Type.Array(ref(UsedToken)),
  },
  { $id: 'PersonDetails' },
);
export type PersonDetails = Static<typeof PersonDetails>;

/** What ended with an account that was disabled or removed. */
export const EndedAccess = Type.Object(
  {
    sessions: Type.Integer({ description: 'How many sessions ended.' }),
    usedTokens: Type.Array(ref(UsedToken), {
      description: 'The tokens that are refused now and were used within the last 30 days.',
    }),
    ownerless: Type.Array(Type.String(), {
      description:
        'Slugs of the projects in which no other owner can sign in. The owner of the installation has the rights of one.',
    }),
    handedOver: Type.Array(Type.Object({ project: Type.String(), to: Type.String() }), {
      description: 'The projects, by their slugs, that others own now, by their addresses.',
    }),
  },
  { $id: 'EndedAccess' },
);
export type EndedAccess = Static<typeof EndedAccess>;

/** `POST /api/installation/users/{id}/remove` */
export const Removal = Type.Object({
  handOver: Type.Optional(
    Type.Array(
      Type.Object({
        project: Type.String({ description: 'The slug.' }),
        to: Type.String({ description: 'The id of the account that takes it over.' }),
      }),
      { description: 'One for each project whose only owner it is.' },
    ),
  ),
});
