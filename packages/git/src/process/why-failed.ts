import { GitError, type GitErrorCode } from '../git-error.ts';
import type { Repository } from '../repository.ts';
import type { RepositoryUrl } from '../repository-url.ts';

interface Asked extends Pick<Repository, 'credentials'> {
  readonly address: RepositoryUrl;
}

/** What git and its helpers say, in the order in which it is looked for, and what it means. */
const REASONS: readonly (readonly [RegExp, GitErrorCode])[] = [
  [/REMOTE HOST IDENTIFICATION HAS CHANGED|Host key verification failed/, 'host_key_changed'],
  [/(?:git|ssh): not found|cannot run ssh|exec: .*not found|No user exists for uid/, 'git_missing'],
  [
    /server certificate verification failed|SSL certificate problem|SSL: |certificate subject name/,
    'certificate',
  ],
  [/Out of memory|Cannot allocate memory|died of signal 25|File too large/, 'too_large'],
  [/died of signal 24/, 'too_slow'],
  [
    /Protocol "\w+" (?:not supported|disabled)|redirects followed|redirect target URL/,
    'redirected',
  ],
  [
    /could not read (?:Username|Password)|Authentication failed|returned error: 40[13]|Permission denied/,
    'authentication_failed',
  ],
  [
    /repository '[^']*' not found|Repository not found|not appear to be a git repository|not valid: is this a git repository|could not be found|returned error: 4(?:04|10)|No such file or directory|Repository.{0,200}does not exist/i,
    'not_found',
  ],
  [/couldn't find remote ref/, 'branch_missing'],
  [
    /unable to access|RPC failed|returned error: (?:429|5\d\d)|Connection (?:reset|closed|refused|timed out)|kex_exchange_identification|Unable to negotiate|hung up unexpectedly|early EOF|Operation timed out/,
    'unreachable',
  ],
];

/**
 * Why git failed, by what it printed; its messages are in English and in no other form. `bad_repository` where nothing
 * else is known: what came was not what git expects.
 */
export function whyFailed(stderr: string, asked: Asked): GitError {
  // What the host says itself counts where git says nothing.
  const own = stderr.replace(/^remote: .*$/gm, '');
  const code = codeOf(own) ?? codeOf(stderr) ?? 'bad_repository';
  return new GitError(code, messageOf(code, stderr, asked), { detail: stderr });
}

const codeOf = (text: string) => REASONS.find(([pattern]) => pattern.test(text))?.[1];

function messageOf(code: GitErrorCode, stderr: string, { address, credentials }: Asked): string {
  const { host, path, protocol } = address;
  const key = credentials?.kind === 'key' ? 'the deploy key' : 'the token';
  switch (code) {
    case 'host_key_changed': {
      const [shown] = /SHA256:[\w+/]+/.exec(stderr) ?? [];
      return `${host} shows another key than before${shown ? `, ${shown}` : ''}: it has a new one, or someone is in between. Compare the fingerprint with what ${host} publishes, and accept the key.`;
    }
    case 'git_missing':
      return /ssh/.test(stderr)
        ? 'The machine of the dashboard has no ssh. Install it there (Debian: openssh-client).'
        : 'The user that the dashboard runs as cannot run git there. Look into its log.';
    case 'certificate':
      return `The certificate of ${host} is not trusted${reasonOf(stderr)}. Have it renewed, or have its authority trusted by whoever runs the dashboard.`;
    case 'too_large':
      return 'The repository has objects that take more memory or room than there is for one. Use a smaller repository for the documentation.';
    case 'too_slow':
      return 'The repository takes too long to read. Use a smaller one for the documentation.';
    case 'authentication_failed':
      if (credentials)
        return `${host} refuses ${key}: it was revoked, has expired, or may not read this repository. ${protocol === 'ssh' ? 'Add its public half to the deploy keys of the repository.' : 'Enter a new token.'}`;
      return protocol === 'ssh'
        ? `${host} lets nobody in without a key. Use a deploy key.`
        : `${host} has no such repository that anyone may read. Check the address, or enter a token for a private one.`;
    case 'not_found':
      return `${host} has no repository ${path}${credentials ? `, or ${key} may not read it` : ''}. Check the address${credentials ? ' and the rights' : ''}.`;
    case 'branch_missing':
      return 'The repository has no such branch.';
    case 'unreachable':
      return `${host} did not respond as a git host does${reasonOf(stderr)}. It is tried again.`;
    default:
      return `${host} did not send a repository that git can read. Clone it on your machine to see whether it is whole.`;
  }
}

/** What curl said, in brackets: it knows nothing of the repository. */
function reasonOf(stderr: string): string {
  const reason = /unable to access '[^']*': ([^\n]{1,200})/.exec(stderr)?.[1];
  return reason ? ` (${reason.trim().replace(/\.$/, '')})` : '';
}
