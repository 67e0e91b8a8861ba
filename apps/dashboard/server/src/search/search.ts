import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf } from '../schema-types.ts';

/** How long what is searched for may be, in characters. */
const MAX_QUERY_LENGTH = 200;

export const SearchQuery = Type.Object({
  q: Type.String({
    maxLength: MAX_QUERY_LENGTH,
    description: 'Words, each of which has to be in what is found. Case does not matter.',
  }),
  project: Type.Optional(
    Type.String({ description: 'The slug of a project whose deploys come first.' }),
  ),
});

const OfProject = Type.Object({ slug: Type.String(), name: Type.String() });

const FoundDeploy = Type.Object({
  project: OfProject,
  id: Type.String(),
  number: Type.Integer(),
  state: OneOf(['queued', 'building', 'succeeded', 'failed']),
  branch: Nullable(Type.String()),
  version: Nullable(Type.String()),
  title: Type.String({ description: 'Its message, or that of its commit, or its file.' }),
  commit: Nullable(Type.String({ description: 'The hash of the commit.' })),
  author: Type.String({ description: 'Who wrote the commit, or who sent the deploy.' }),
  createdAt: Instant,
});
export type FoundDeploy = Static<typeof FoundDeploy>;

/** `GET /api/search` */
export const SearchResults = Type.Object(
  {
    projects: Type.Array(OfProject),
    deploys: Type.Array(FoundDeploy),
    domains: Type.Array(Type.Object({ project: OfProject, hostname: Type.String() })),
    people: Type.Array(
      Type.Object({
        name: Type.String(),
        email: Type.String(),
        project: Nullable(Type.String({ description: 'The slug of a project that they are in.' })),
      }),
    ),
  },
  { $id: 'SearchResults', description: 'The best of each kind, six at most.' },
);
export type SearchResults = Static<typeof SearchResults>;
