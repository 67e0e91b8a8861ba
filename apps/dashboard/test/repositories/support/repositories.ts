import type { TestContext } from 'node:test';
import { type GitHttpsHost, gitHttpsHost } from '@petstore/test-support/git-hosts/https-host.ts';
import {
  makeTestRepository,
  type TestRepository,
} from '@petstore/test-support/git-hosts/test-repository.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { type Config, readConfig } from '../../../server/src/config.ts';
import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import type { Repository, RepositoryInput } from '../../../server/src/repositories/repository.ts';
import type { StateCode } from '../../../server/src/repositories/repository-state.ts';
import type { Page } from '../../../server/src/schema-types.ts';
import { createProject, documentTitled } from '../../support/project.ts';
import { json, type Service, startService, type Visitor } from '../../support/service.ts';

export const PETS = '/api/projects/pets';
export const REPOSITORY = `${PETS}/repository`;

export interface GitWorld {
  readonly service: Service;
  readonly root: Visitor;
  /** The folder of the host's repositories. */
  readonly folder: string;
  readonly host: GitHttpsHost;
  /** The repository `pets.git`, with a document on `main`. */
  readonly pets: TestRepository;
  readonly url: string;
}

/** Settings for hosts on this machine; nothing is asked by itself unless a test says how often. */
export function gitConfig(caFile: string | undefined, git: Partial<Config['git']> = {}) {
  const { git: defaults } = readConfig({});
  return {
    git: { ...defaults, privateAddresses: 'allow' as const, caFile, pollSeconds: 3_600, ...git },
  };
}

/** A dashboard with the project `pets`, and a host of git over https with a repository. */
export async function startGitWorld(
  t: TestContext,
  git: Partial<Config['git']> = {},
  overrides: Partial<Config> = {},
): Promise<GitWorld> {
  const folder = await temporaryFolder(t);
  const host = await gitHttpsHost(t, folder);
  const pets = makeTestRepository(folder, 'pets.git');
  pets.commit({ 'openapi.json': documentTitled('Pets') });
  const service = await startService(t, { ...gitConfig(host.caFile, git), ...overrides });
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  return { service, root, folder, host, pets, url: `${host.origin}/pets.git` };
}

/** Connects a repository to the project `pets`; what the API says of it. */
export async function connect(
  owner: Visitor,
  input: Partial<RepositoryInput> & Pick<RepositoryInput, 'url'>,
): Promise<Repository> {
  return checked(owner, await json(await owner.call('PUT', REPOSITORY, input)));
}

export const readRepository = async (visitor: Visitor): Promise<Repository> =>
  json(await visitor.call('GET', REPOSITORY));

/** Asks the host now, as the button does. */
export const check = async (visitor: Visitor, query = ''): Promise<Repository> =>
  checked(visitor, await json(await visitor.call('POST', `${REPOSITORY}/check${query}`)));

/** A repository, once its host was asked: the API does not wait for that for as long as a test does. */
async function checked(visitor: Visitor, repository: Repository): Promise<Repository> {
  let current = repository;
  await timeUntil(async () => {
    if (current.state.code === 'checking') current = await readRepository(visitor);
    return current.state.code !== 'checking';
  });
  return current;
}

/** Waits until the repository is in a state; what the API says of it then. */
export async function inState(visitor: Visitor, ...codes: StateCode[]): Promise<Repository> {
  let repository = await readRepository(visitor);
  try {
    await timeUntil(async () => {
      repository = await readRepository(visitor);
      return codes.includes(repository.state.code);
    });
  } catch (cause) {
    throw new Error(`it is ${JSON.stringify(repository.state)}`, { cause });
  }
  return repository;
}

/** The deploys of `pets`, the newest first. */
export async function deploysOf(visitor: Visitor): Promise<Deploy[]> {
  return (await json<Page<Deploy>>(await visitor.call('GET', `${PETS}/deploys`))).items;
}
