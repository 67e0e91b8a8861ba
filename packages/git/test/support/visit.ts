import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { Ending } from '@petstore/test-support/clean-up.ts';
import { type GitHttpsHost, gitHttpsHost } from '@petstore/test-support/git-hosts/https-host.ts';
import {
  makeTestRepository,
  type TestRepository,
} from '@petstore/test-support/git-hosts/test-repository.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { type FetchedBranch, type FetchLimits, fetchBranch } from '../../src/fetch-branch.ts';
import { GitError, type GitErrorCode } from '../../src/git-error.ts';
import type { GitSettings, Repository } from '../../src/repository.ts';

export const LIMITS: FetchLimits = { maxBytes: 20_000_000, maxFiles: 1_000, seconds: 60 };

/** Comes never. */
export const NEVER = new AbortController().signal;

/** Settings that let a test reach its own hosts, and a folder in which nothing may be left. */
export async function settingsOf(t: Ending, more: Partial<GitSettings> = {}): Promise<GitSettings> {
  return {
    git: 'git',
    allowPrivateAddresses: true,
    dnsServers: [],
    caFile: null,
    directory: await temporaryFolder(t),
    ...more,
  };
}

/** A repository on a host of its own, over https. */
export interface Visit {
  readonly host: GitHttpsHost;
  readonly source: TestRepository;
  readonly repository: Repository;
  readonly settings: GitSettings;
  fetch(
    branch?: string,
    limits?: Partial<FetchLimits>,
    signal?: AbortSignal,
  ): Promise<FetchedBranch>;
}

export async function visit(t: Ending): Promise<Visit> {
  const root = await temporaryFolder(t);
  const source = makeTestRepository(root, 'ada/pets.git');
  const host = await gitHttpsHost(t, root);
  const settings = await settingsOf(t, { caFile: host.caFile });
  const repository = { url: `${host.origin}/ada/pets.git`, credentials: null, hostKeys: [] };
  return {
    host,
    source,
    repository,
    settings,
    fetch: (branch = 'main', limits = {}, signal = NEVER) =>
      fetchBranch(repository, branch, { ...LIMITS, ...limits }, settings, signal),
  };
}

/** That work fails for this reason, with a message that people can use, and that nothing is left. */
export async function failsWith(
  code: GitErrorCode,
  message: RegExp,
  work: Promise<unknown>,
  { directory }: Pick<GitSettings, 'directory'>,
): Promise<GitError> {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof GitError)) throw error;
  assert.equal(error.code, code, `${error.message}\n${error.detail}`);
  assert.match(error.message, message);
  assert.match(error.message, /^\S.*\.$/s, 'the message is a sentence');
  assert.deepEqual(await readdir(directory), [], 'files are left');
  return error;
}
