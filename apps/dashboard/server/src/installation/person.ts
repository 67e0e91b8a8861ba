import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable } from '../schema-types.ts';

/** An account as the installation's owner sees it. `GET /api/installation/users` */
export const Person = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    isInstallationOwner: Type.Boolean(),
    isYou: Type.Boolean(),
    createdAt: Instant,
    disabledAt: Nullable(
      Type.Unsafe<string>({
        ...Instant,
        description: 'Since then its sessions and tokens are refused; null: it is not disabled.',
      }),
    ),
    lastSeenAt: Nullable(
      Type.Unsafe<string>({
        ...Instant,
        description: 'When it used the dashboard last; null: not since this is counted.',
      }),
    ),
    projects: Type.Integer({ description: 'How many projects it owns.' }),
    tokens: Type.Integer({ description: 'How many usable API tokens it has.' }),
  },
  { $id: 'Person' },
);
export type Person = Static<typeof Person>;
