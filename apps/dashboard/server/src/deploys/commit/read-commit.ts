import { Type } from '@petstore/service/schema-builders.ts';
import { prefix } from '@petstore/service/text.ts';
import {
  hostOf,
  isBranchInAddress,
  REPOSITORY_HOSTS,
  webAddress,
} from '@petstore/site/repository/web-address.ts';
import type { Static } from 'typebox';
import { isPrintable } from '../../accounts/account-input.ts';
import { invalidRequest } from '../../api-error.ts';
import { OneOf } from '../../schema-types.ts';
import type { DeployCommit } from './deploy-commit.ts';

const MAX_LENGTH = { author: 100, message: 200, branch: 255, folder: 500 };

/** What the query of an upload says of its commit. */
export const COMMIT_QUERY = {
  commit: Type.Optional(
    Type.String({
      description:
        'The hash of the commit that it is made of, which the dashboard shows. 7 to 64 hexadecimal digits.',
      examples: ['9d9cec5b2c4f7e0a9b1c3d5e7f9a1b3c5d7e9f1a'],
    }),
  ),
  'commit-author': Type.Optional(
    Type.String({
      description: `Who wrote the commit. An address in angle brackets is left out, and what is after ${MAX_LENGTH.author} characters.`,
    }),
  ),
  'commit-message': Type.Optional(
    Type.String({
      description: `The commit's message: its first line is kept, up to ${MAX_LENGTH.message} characters.`,
    }),
  ),
  'commit-branch': Type.Optional(
    Type.String({
      description: `The branch that the commit was taken from. 1 to ${MAX_LENGTH.branch} characters. "Edit this page" on the site leads to it.`,
      examples: ['main'],
    }),
  ),
  repository: Type.Optional(
    Type.String({
      description:
        'The address of the repository, as git or a browser has it. What it says before an `@` is left out.',
      examples: ['https://github.com/ada/pets'],
    }),
  ),
  'repository-host': Type.Optional(
    OneOf([...REPOSITORY_HOSTS], {
      description:
        'What the host of the repository runs, where its name does not tell. Forgejo is `gitea`.',
    }),
  ),
  'repository-public': Type.Optional(
    OneOf(['true', 'false'], {
      description:
        'true: everybody may read the repository, so the pages of the site lead to their files unless docs.yaml says otherwise.',
    }),
  ),
  'repository-folder': Type.Optional(
    Type.String({
      description: `The folder of the repository that the root of the upload is; \`.\` for the root of the repository. Of a document alone: its folder. ${MAX_LENGTH.folder} characters at most.`,
      examples: ['docs'],
    }),
  ),
};

const QUERY = Type.Object(COMMIT_QUERY);
export type CommitQuery = Static<typeof QUERY>;

/**
 * The commit of an upload; null where its query names none. What is for people alone is shortened, so that no deploy
 * fails for a long message. Throws ApiError for what cannot be a hash, a branch, an address or a folder.
 */
export function readCommit(query: CommitQuery): DeployCommit | null {
  const said = (name: keyof CommitQuery) => query[name]?.trim() || undefined;
  const hash = said('commit')?.toLowerCase();
  if (hash === undefined) {
    const other = Object.keys(COMMIT_QUERY).find((name) => said(name as keyof CommitQuery));
    if (other === undefined) return null;
    throw invalidRequest(
      `${other} needs commit, the hash of the commit. Add it, or leave both out.`,
    );
  }
  if (!/^[0-9a-f]{7,64}$/.test(hash)) {
    throw invalidRequest(
      'commit must be the hash of a commit, 7 to 64 hexadecimal digits, such as 9d9cec5b2c4f.',
    );
  }
  return {
    hash,
    author: lineOf(said('commit-author')?.replace(/\s*<[^<>]*>\s*$/, ''), MAX_LENGTH.author),
    message: lineOf(said('commit-message'), MAX_LENGTH.message),
    branch: readBranch(said('commit-branch')),
    repository: readRepository(said('repository'), query, said('repository-folder')),
  };
}

/** The first line of a text without control characters, of at most `most` characters; null where nothing is left. */
export function lineOf(text: string | undefined, most: number): string | null {
  const [line = ''] = (text ?? '').split(/[\r\n]/, 1);
  const plain = line.replaceAll(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}]/gu, '').replaceAll(BIDI, '');
  const cut = prefix(plain, most - 1);
  return (cut.length < plain.length ? `${cut.trimEnd()}…` : plain).trim() || null;
}

/** Marks that turn the direction of what stands after the text, too. */
const BIDI = /[\u202a-\u202e\u2066-\u2069]/g;

function readBranch(branch: string | undefined): string | null {
  if (branch === undefined) return null;
  if (isPrintable(branch, MAX_LENGTH.branch)) {
    if (isBranchInAddress(branch)) return branch;
    throw invalidRequest(
      `commit-branch must be the name of a branch, such as main; got ${branch}.`,
    );
  }
  throw invalidRequest(
    `commit-branch must be 1 to ${MAX_LENGTH.branch} characters long, without control characters, such as main; got ${[...branch].length} characters.`,
  );
}

function readRepository(
  address: string | undefined,
  { 'repository-host': host, 'repository-public': isPublic }: CommitQuery,
  folder: string | undefined,
): DeployCommit['repository'] {
  if (address === undefined) return null;
  const url = webAddress(address);
  if (url === undefined) {
    throw invalidRequest(
      'repository must be the address of a repository, such as https://github.com/ada/pets or git@github.com:ada/pets.git.',
    );
  }
  return {
    ...{ url, host: host ?? hostOf(url) ?? null, folder: readFolder(folder) },
    isPublic: isPublic === 'true',
  };
}

function readFolder(given: string | undefined): string | null {
  if (given === undefined) return null;
  const folder = given.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');
  if (folder === '.' || folder === '') return '';
  const isPath = !folder.split('/').some((segment) => ['', '.', '..'].includes(segment));
  if (isPath && isPrintable(folder, MAX_LENGTH.folder)) return folder;
  throw invalidRequest(
    `repository-folder must be the path of a folder from the root of the repository, at most ${MAX_LENGTH.folder} characters long, such as docs or packages/api.`,
  );
}
