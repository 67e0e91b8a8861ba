import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, OneOf } from '../schema-types.ts';

/** What a repository, or one of its branches, is at, or why it is not deployed. One that was released never changes. */
export const STATE_CODES = [
  // All is well, or on its way.
  'ok',
  'checking',
  'fetching',
  'deploying',
  'held',
  'not_deployed',
  // The service that hosts the repository.
  'unreachable',
  'certificate',
  'private_address',
  'redirected',
  'authentication_failed',
  'not_found',
  'host_key_changed',
  'bad_repository',
  'bad_url',
  // The repository.
  'empty_repository',
  'branch_missing',
  'branch_unusable',
  'folder_missing',
  'folder_unusable',
  'unsafe_path',
  'too_large',
  'too_many_files',
  'too_many_branches',
  'too_slow',
  // The project.
  'deploy_failed',
  'previews_full',
  'queue_full',
  // The dashboard itself.
  'git_missing',
  'switched_off',
  'secret_unreadable',
  'service_failed',
  // Beside the others.
  'webhook_bad_signature',
  'status_refused',
] as const;

export type StateCode = (typeof STATE_CODES)[number];

export const RepositoryState = Type.Object({
  code: OneOf([...STATE_CODES]),
  message: Type.String({ description: 'What is the case, and where: a sentence.' }),
  remedy: Type.String({ description: 'What to do about it; empty where nothing is wrong.' }),
  since: Instant,
});
export type RepositoryState = Static<typeof RepositoryState>;
