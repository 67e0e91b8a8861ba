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

/** `message` is a sentence or two for people: what is wrong, and what to do. `detail` is for the log; it has no secret. */
export class GitError extends Error {
  override name = 'GitError';
  readonly code: GitErrorCode;
  readonly detail: string;

  constructor(code: GitErrorCode, message: string, detail = '') {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}
