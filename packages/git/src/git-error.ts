/** Why a repository could not be read. */
export type GitErrorCode =
  | 'git_missing'
  | 'bad_url'
  | 'unreachable'
  | 'private_address'
  | 'certificate'
  | 'authentication_failed'
  | 'not_found'
  | 'branch_missing'
  | 'empty_repository'
  | 'host_key_changed'
  | 'too_large'
  | 'too_many_files'
  | 'too_many_branches'
  | 'too_slow'
  | 'unsafe_path'
  | 'redirected'
  | 'bad_repository';

interface GitErrorOptions {
  readonly detail?: string;
  readonly hostKeys?: readonly string[];
}

/** `message` is a sentence or two for people: what is wrong, and what to do. */
export class GitError extends Error {
  override name = 'GitError';
  readonly code: GitErrorCode;
  /** What git said, for the log: it has no secret, and may be empty. */
  readonly detail: string;
  /** The keys of an ssh host that was reached: those to keep, although the call failed. */
  readonly hostKeys: readonly string[];

  constructor(
    code: GitErrorCode,
    message: string,
    { detail = '', hostKeys = [] }: GitErrorOptions = {},
  ) {
    super(message);
    this.code = code;
    this.detail = detail;
    this.hostKeys = hostKeys;
  }
}
