import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable } from '../schema-types.ts';

/** A token by which a directory keeps accounts and groups in step. */
export const ScimToken = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    createdBy: Type.String(),
    createdAt: Instant,
    lastUsedAt: Nullable(Instant),
    revokedAt: Nullable(Instant),
  },
  { $id: 'ScimToken' },
);
export type ScimToken = Static<typeof ScimToken>;

/** With the token itself, which is shown this once. */
export const CreatedScimToken = Type.Object(
  {
    ...ScimToken.properties,
    token: Type.String(),
    url: Type.String({ description: 'The base URL (tenant URL) to give to the directory.' }),
  },
  { $id: 'CreatedScimToken' },
);
export type CreatedScimToken = Static<typeof CreatedScimToken>;
