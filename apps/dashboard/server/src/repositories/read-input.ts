import { GitError } from '@petstore/git/git-error.ts';
import { parseRepositoryUrl, type RepositoryUrl } from '@petstore/git/repository-url.ts';
import { hostOf, webAddress } from '@petstore/site/repository/web-address.ts';
import { isPrintable } from '../accounts/account-input.ts';
import { invalidRequest } from '../api-error.ts';
import type { Provider, RepositoryAccess, RepositoryInput } from './repository.ts';
import { takesStatuses } from './statuses/status-request.ts';

/** What a repository is to be, as it was checked. */
export interface ReadInput {
  readonly url: string;
  readonly provider: Provider;
  /** null: the default one. */
  readonly branch: string | null;
  readonly folder: string;
  readonly previews: boolean;
  readonly statuses: boolean;
  readonly access: RepositoryAccess;
  readonly username: string | null;
  /** undefined: the present one. */
  readonly token: string | undefined;
}

/** Reads what an owner enters. Throws ApiError for what can be no repository, whatever its host says. */
export function readInput(input: RepositoryInput): ReadInput {
  const { url, protocol } = readUrl(input.url);
  const access = input.access ?? (protocol === 'ssh' ? 'deploy_key' : 'none');
  checkAccess(access, protocol, input);
  const provider = input.provider ?? hostOf(webAddress(url) ?? url) ?? 'other';
  const canTell = access === 'token' && takesStatuses({ provider, url });
  if (input.statuses === true && !canTell) {
    throw invalidRequest(
      access === 'token'
        ? provider === 'bitbucket'
          ? 'statuses are told to bitbucket.org alone, and to no other Bitbucket. Leave them out.'
          : 'statuses needs to know the software of the host: name it as provider.'
        : 'statuses needs access token: commit statuses are written with a token of the host.',
    );
  }
  return {
    ...{ url, provider, access },
    branch: readBranch(input.branch ?? null),
    folder: readFolder(input.folder ?? ''),
    previews: input.previews ?? true,
    statuses: input.statuses ?? canTell,
    username: access === 'token' ? readUsername(input.username ?? null) : null,
    token: access === 'token' ? readToken(input.token) : undefined,
  };
}

function readUrl(text: string): RepositoryUrl {
  try {
    return parseRepositoryUrl(text);
  } catch (error) {
    throw error instanceof GitError ? invalidRequest(error.message) : error;
  }
}

function checkAccess(
  access: RepositoryAccess,
  protocol: RepositoryUrl['protocol'],
  { token }: RepositoryInput,
): void {
  if (protocol === 'ssh' && access !== 'deploy_key') {
    throw invalidRequest(
      'access must be deploy_key for an ssh address. For a token, or without either, enter the https address.',
    );
  }
  if (protocol === 'https' && access === 'deploy_key') {
    throw invalidRequest(
      'access deploy_key needs an ssh address, such as git@github.com:ada/pets.git.',
    );
  }
  if (token !== undefined && access !== 'token')
    throw invalidRequest('token needs access token. Leave it out, or change the access.');
}

/** What goes into the header of a request. */
function readToken(token: string | undefined): string | undefined {
  const trimmed = token?.trim();
  if (trimmed === undefined) return undefined;
  if (!/^[\x21-\x7e]+$/.test(trimmed))
    throw invalidRequest('token must have no spaces and no letters that tokens do not have.');
  return trimmed;
}

function readUsername(username: string | null): string | null {
  if (username === null) return null;
  const trimmed = username.trim();
  if (isPrintable(trimmed, 255) && !trimmed.includes(':')) return trimmed;
  throw invalidRequest('username must be 1 to 255 characters long, without colons.');
}

/** git-check-ref-format(1) has more rules; the host knows which branches there are. */
function readBranch(branch: string | null): string | null {
  if (branch === null) return null;
  const trimmed = branch.trim().replace(/^refs\/heads\//, '');
  if (isPrintable(trimmed, 255) && !trimmed.startsWith('-')) return trimmed;
  throw invalidRequest(
    'branch must be the name of a branch, 1 to 255 characters long, such as main; or null for the default one.',
  );
}

function readFolder(text: string): string {
  const folder = text
    .trim()
    .replace(/^(?:\.?\/+)+/, '')
    .replace(/\/+$/, '');
  if (folder === '' || folder === '.') return '';
  const isPath = !folder.split('/').some((segment) => ['', '.', '..'].includes(segment));
  if (isPath && isPrintable(folder, 500)) return folder;
  throw invalidRequest(
    'folder must be a path from the root of the repository, at most 500 characters long, such as docs or specs/openapi.yaml.',
  );
}

/** Whether two addresses are of one repository: then a token may go to the other one, too. */
export function isSameRepository(one: string, other: string): boolean {
  const bare = (url: string) => url.replace(/\.git$/, '');
  return bare(one) === bare(other);
}

/** Whether two addresses are of one host, with the same keys. */
export function isSameHost(one: string, other: string): boolean {
  return new URL(one).host === new URL(other).host;
}
