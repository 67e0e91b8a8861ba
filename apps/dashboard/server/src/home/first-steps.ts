import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Nullable, OneOf } from '../schema-types.ts';

/** The steps from an account to a site that a team works on, in their order. */
const FIRST_STEPS = ['project', 'deploy', 'domain', 'invite'] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

/** `GET /api/account/first-steps` */
export const FirstSteps = Type.Object(
  {
    steps: Type.Array(
      Type.Object({
        name: OneOf(['project', 'deploy', 'domain', 'invite'], {
          description:
            'Create a project, deploy, add a domain (where the plan of one has any), invite someone.',
        }),
        done: Type.Boolean({ description: 'Whether it was done in any project that you own.' }),
      }),
    ),
    project: Nullable(
      Type.String({ description: 'The slug of the newest project that you own; null: none.' }),
    ),
    shown: Type.Boolean({
      description: 'false: all are done, or put away, or you are in projects and own none of them.',
    }),
  },
  { $id: 'FirstSteps' },
);
export type FirstSteps = Static<typeof FirstSteps>;
