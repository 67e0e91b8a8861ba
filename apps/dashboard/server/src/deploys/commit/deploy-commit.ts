import { Type } from '@petstore/service/schema-builders.ts';
import { commitAddress } from '@petstore/site/repository/file-addresses.ts';
import type { RepositoryHost } from '@petstore/site/repository/web-address.ts';
import type { Static } from 'typebox';
import { Nullable } from '../../schema-types.ts';

/** The commit that a deploy was made of, as it is stored (JSON in `deploys.source_commit`). */
export interface DeployCommit {
  /** 7 to 64 hexadecimal digits, in lower case. */
  readonly hash: string;
  readonly author: string | null;
  /** The first line of its message. */
  readonly message: string | null;
  readonly branch: string | null;
  readonly repository: {
    /** In a browser: webAddress of packages/site. */
    readonly url: string;
    /** null: nobody knows how its host names files. */
    readonly host: RepositoryHost | null;
    /** The folder of the repository that the root of the upload is, empty for the repository's root; null: not known. */
    readonly folder: string | null;
    /** Whether everybody may read it, as far as is known: then the site may lead there without being told to. */
    readonly isPublic: boolean;
  } | null;
}

/** The same in responses. */
export const Commit = Type.Object(
  {
    hash: Type.String({ examples: ['9d9cec5b2c4f7e0a9b1c3d5e7f9a1b3c5d7e9f1a'] }),
    author: Nullable(Type.String({ description: 'A name.' })),
    message: Nullable(Type.String({ description: 'The first line of its message.' })),
    branch: Nullable(Type.String({ description: 'The branch that it was taken from.' })),
    url: Nullable(
      Type.String({
        description: 'Its page at the host of the repository; null: it is not known.',
      }),
    ),
    repositoryUrl: Nullable(Type.String({ description: "The repository's page." })),
  },
  { description: 'The commit that it was made of, as its sender said.' },
);
export type Commit = Static<typeof Commit>;

/** A stored commit; null where the sender said none. */
export const commitOf = ({ source_commit }: { source_commit: string | null }) =>
  source_commit === null ? null : (JSON.parse(source_commit) as DeployCommit);

/** A stored commit as responses have it. */
export function presentCommit(row: { source_commit: string | null }): Commit | null {
  const commit = commitOf(row);
  if (!commit) return null;
  const { hash, author, message, branch, repository } = commit;
  const page =
    repository && commitAddress({ url: repository.url, host: repository.host ?? undefined }, hash);
  return {
    ...{ hash, author, message, branch },
    url: page ?? null,
    repositoryUrl: repository?.url ?? null,
  };
}
