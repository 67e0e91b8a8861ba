import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Config } from '../../../server/src/config.ts';
import { getFromEdge } from '../../support/dashboard-program.ts';
import { createProject, makeToken } from '../../support/project.ts';
import { startService } from '../../support/service.ts';
import { type Run, runAction } from './action-runner.ts';
import { playGithub, TOKEN } from './played-github.ts';
import { type Checkout, type Files, makeRepository } from './repository.ts';
import { CI } from './tools.ts';

export const ACTION = join(CI, 'github');

/** A document with an operation to list and one to remove, and two that another version may have instead. */
export const OLD = `openapi: 3.1.0
info: { title: Pets, version: '1' }
paths:
  /pets:
    get:
      summary: List
      operationId: listPets
      responses:
        '200':
          description: The pets
          content:
            application/json:
              schema:
                type: object
                required: [name]
                properties:
                  name: { type: string }
    delete:
      summary: Remove
      operationId: removePets
      responses: { '204': { description: Gone } }
`;
export const BREAKING = OLD.replace(/ {4}delete[\s\S]*$/, '');
export const SAFE = OLD.replace('Gone', 'They are gone');

interface PullRequest {
  readonly branch: string;
  readonly action?: string;
  readonly title?: string;
  readonly fromFork?: boolean;
  readonly actor?: string;
  readonly checkout?: Checkout;
  readonly inputs?: Record<string, string>;
  readonly token?: string;
  readonly eventName?: string;
}

/**
 * A dashboard with the project `pets`, a repository whose main branch has `files`, and GitHub beside them. The folder is
 * where the host has the repository.
 */
export async function petsOnGithub(
  t: TestContext,
  files: Files = { 'openapi.yaml': OLD },
  config: Partial<Config> = {},
  folder?: string,
) {
  const service = await startService(t, config);
  const owner = await service.signUp('owner@example.com');
  await createProject(owner, 'pets');
  const { token } = await makeToken(owner, 'pets');
  const github = await playGithub(t);
  const repository = await makeRepository(t, files, folder);

  const run = async (
    workspace: { folder: string; commit: string },
    {
      inputs = {},
      actor = 'ada',
      ...rest
    }: Pick<PullRequest, 'inputs' | 'actor'> & {
      eventName: string;
      event: object;
      env?: Record<string, string>;
    },
  ): Promise<Run> => {
    const made = await runAction(t, ACTION, {
      ...{
        eventName: rest.eventName,
        event: rest.event,
        workspace: workspace.folder,
        token: TOKEN,
      },
      inputs: { url: service.origin, project: 'pets', path: 'openapi.yaml', token, ...inputs },
      env: {
        GITHUB_API_URL: github.origin,
        GITHUB_REPOSITORY: 'ada/pets',
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_SHA: workspace.commit,
        GITHUB_ACTOR: actor,
        ...rest.env,
      },
    });
    for (const secret of [token, TOKEN])
      assert.ok(!made.log.includes(secret), 'a secret in the log');
    return made;
  };

  /** The action for the pull request 7. */
  const pullRequest = async ({
    branch,
    action = 'synchronize',
    title = 'A change',
    fromFork = false,
    checkout = { depth: 0 },
    eventName = 'pull_request',
    ...rest
  }: PullRequest): Promise<Run> => {
    const workspace = await repository.checkoutPullRequest(branch, checkout);
    const sha = await repository.git('rev-parse', `refs/heads/${branch}`);
    const event = {
      ...{ action, number: 7 },
      pull_request: {
        ...{ number: 7, title },
        head: { ref: branch, sha, repo: { id: fromFork ? 2 : 1 } },
        base: { ref: 'main', sha, repo: { id: 1 } },
      },
      repository: { default_branch: 'main' },
    };
    return run(workspace, { ...rest, eventName, event, env: { GITHUB_REF_NAME: '7/merge' } });
  };

  /** The action for what was pushed to a branch, which was at `before`. */
  const push = async (branch: string, before: string, inputs: Record<string, string> = {}) => {
    const workspace = await repository.checkoutBranch(branch, 0);
    const event = { before, repository: { default_branch: 'main' } };
    return run(workspace, { inputs, eventName: 'push', event, env: { GITHUB_REF_NAME: branch } });
  };
  const page = (url: string, path = '/') =>
    getFromEdge(service.edgePort, new URL(url).hostname, path);
  return { service, owner, github, repository, pullRequest, push, page };
}

export const errorsOf = ({ commands }: Run) =>
  commands.filter(({ name }) => name === 'error').map(({ message }) => message);
