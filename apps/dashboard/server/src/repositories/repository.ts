import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf, ref } from '../schema-types.ts';
import { RepositoryState } from './repository-state.ts';

const PROVIDERS = ['github', 'gitlab', 'gitea', 'bitbucket', 'other'] as const;
export type Provider = (typeof PROVIDERS)[number];

const ACCESS = ['none', 'token', 'deploy_key'] as const;
export type RepositoryAccess = (typeof ACCESS)[number];

const ProviderName = OneOf([...PROVIDERS], {
  description: 'The software of the host: for links, commit statuses, and instructions.',
});

const AccessName = OneOf([...ACCESS], {
  description:
    'none: everybody may read it. token: an access token of the host, for https. deploy_key: a key that the dashboard makes, for ssh.',
});

/** `PUT /api/projects/{slug}/repository`: all of it; what is left out has its default. */
export const RepositoryInput = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: 'An https or ssh address, as `git clone` takes it.',
    examples: ['https://github.com/ada/pets.git', 'git@github.com:ada/pets.git'],
  }),
  branch: Type.Optional(
    Nullable(
      Type.String({
        description:
          "The branch that goes live; null: the repository's default branch, found out by asking.",
      }),
    ),
  ),
  folder: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description:
        'What is deployed, by its path from the root of the repository: a folder with docs.yaml, or a document. Empty: the whole repository.',
      examples: ['docs', 'specs/openapi.yaml'],
    }),
  ),
  previews: Type.Optional(
    Type.Boolean({ description: 'Whether other branches become previews (true).' }),
  ),
  statuses: Type.Optional(
    Type.Boolean({
      description:
        'Whether the host is told what became of each commit: it takes a token that may write that (true where there is a token).',
    }),
  ),
  provider: Type.Optional(ProviderName),
  access: Type.Optional(AccessName),
  token: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4_096,
      description: 'For access token. Left out: the present one, unless it is another repository.',
    }),
  ),
  username: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'The user of the token, where the host wants one.',
      }),
    ),
  ),
});
export type RepositoryInput = Static<typeof RepositoryInput>;

const BranchDeploy = Type.Object({
  id: Type.String(),
  number: Type.Integer(),
  url: Type.String({ description: 'Where it is to be read, once it has succeeded.' }),
});

export const RepositoryBranch = Type.Object(
  {
    name: Type.String(),
    live: Type.Boolean({
      description: 'Whether its commits go live; those of others are previews.',
    }),
    commit: Nullable(Type.String({ description: 'The newest commit that the dashboard knows.' })),
    commitUrl: Nullable(Type.String({ description: 'Its page at the host, where that is known.' })),
    state: RepositoryState,
    deploy: Nullable(BranchDeploy),
  },
  { $id: 'RepositoryBranch' },
);
export type RepositoryBranch = Static<typeof RepositoryBranch>;

/** `GET /api/projects/{slug}/repository`. It never has a secret. */
export const Repository = Type.Object(
  {
    url: Type.String(),
    webUrl: Nullable(Type.String({ description: "The repository's page, where that is known." })),
    provider: ProviderName,
    branch: Nullable(
      Type.String({ description: 'null until the host has said which one is the default.' }),
    ),
    folder: Type.String(),
    previews: Type.Boolean(),
    statuses: Type.Boolean(),
    access: AccessName,
    username: Nullable(Type.String()),
    publicKey: Nullable(
      Type.String({ description: 'The public half of the deploy key, to add at the host.' }),
    ),
    hostKeys: Type.Array(Type.Object({ type: Type.String(), fingerprint: Type.String() }), {
      description: 'The keys of an ssh host, as they were seen first.',
    }),
    webhook: Type.Object({
      url: Type.String({ description: 'Where the host sends its webhooks.' }),
      hasSecret: Type.Boolean({ description: 'Until there is one, webhooks are refused.' }),
      lastDeliveredAt: Nullable(Instant),
      lastProblem: Nullable(RepositoryState),
    }),
    state: RepositoryState,
    statusProblem: Nullable(RepositoryState),
    previewProblem: Nullable(RepositoryState),
    lastCheckedAt: Nullable(Instant),
    nextCheckAt: Nullable(Instant),
    branches: Type.Array(ref(RepositoryBranch), {
      description: 'The one that goes live first, then those that changed last; 100 at most.',
    }),
    branchesLeftOut: Type.Integer({ description: 'How many are left out at the end.' }),
  },
  { $id: 'Repository' },
);
export type Repository = Static<typeof Repository>;

/** `POST …/repository/webhook-secret` */
export const RepositoryWebhookSecret = Type.Object(
  {
    url: Type.String(),
    secret: Type.String({
      description: 'To be entered at the host, as the secret of its webhook. Shown this once.',
    }),
  },
  { $id: 'RepositoryWebhookSecret' },
);
export type RepositoryWebhookSecret = Static<typeof RepositoryWebhookSecret>;
