import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable } from '../schema-types.ts';

/** `GET …/previews` has a page of these; `DELETE …/previews/{branch}` ends one. */
export const BranchPreview = Type.Object(
  {
    branch: Type.String(),
    url: Type.String({
      description: 'The lasting address of the branch, which shows its newest succeeded deploy.',
    }),
    deploy: Nullable(
      Type.Object(
        { id: Type.String(), number: Type.Integer() },
        { description: 'The one that it shows; null until one has succeeded.' },
      ),
    ),
    createdAt: Instant,
    deployedAt: Type.String({
      format: 'date-time',
      description: 'When a deploy of the branch last arrived.',
    }),
    endsAt: Type.String({
      format: 'date-time',
      description: 'When it ends unless there is another deploy.',
    }),
  },
  { $id: 'BranchPreview' },
);
export type BranchPreview = Static<typeof BranchPreview>;
