/** An address of a repository, in its canonical spelling. */
export interface RepositoryUrl {
  /** `https://host[:port]/path` or `ssh://user@host[:port]/path` */
  readonly url: string;
  readonly protocol: 'https' | 'ssh';
  /** Without brackets. */
  readonly host: string;
  /** Without the slash at its beginning: `ada/pets.git`. */
  readonly path: string;
}

/**
 * Reads what people type or copy: `https://…`, `ssh://…` and `git@host:path`. Throws GitError `bad_url`, whose message is
 * a sentence about `url`.
 */
export function parseRepositoryUrl(_text: string): RepositoryUrl {
  throw new Error('not there yet');
}
