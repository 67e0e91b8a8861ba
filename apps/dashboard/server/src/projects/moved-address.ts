import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant } from '../schema-types.ts';

/** An address that a project had, which leads to it. */
export const MovedAddress = Type.Object(
  {
    slug: Type.String(),
    url: Type.String(),
    until: Instant,
  },
  { $id: 'MovedAddress' },
);
export type MovedAddress = Static<typeof MovedAddress>;
