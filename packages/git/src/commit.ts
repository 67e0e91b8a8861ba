import type { Session } from './process/session.ts';

export interface Commit {
  /** In hexadecimal. */
  readonly hash: string;
  readonly author: string;
  readonly authorEmail: string;
  /** Its beginning: at most 1,000 letters. */
  readonly message: string;
  /** In milliseconds since 1970. */
  readonly authoredAt: number;
}

/** In UTF-16, of the message and of each other text. */
const MAX_MESSAGE = 1_000;
const MAX_TEXT = 200;

/** How much of a commit is read, in bytes: a message may have megabytes. */
const MAX_BYTES = 16_384;

const FORMAT = ['%H', '%an', '%ae', '%at', '%B'].join('%x00');

/** The commit that a ref of our copy leads to. Its texts have no NUL and no other control characters but line breaks. */
export async function readCommit(session: Session, gitDir: string, ref: string): Promise<Commit> {
  const args = ['--git-dir', gitDir, 'log', '-1', `--format=${FORMAT}`, '--encoding=UTF-8'];
  const chunks: Buffer[] = [];
  await session.git([...args, '--no-mailmap', '--no-show-signature', '--no-notes', ref, '--'], {
    output: async (stdout) => {
      let bytes = 0;
      for await (const chunk of stdout) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > MAX_BYTES) break;
      }
    },
  });
  // A character that the limit cuts in two is left out.
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_BYTES), {
    stream: true,
  });
  const [hash = '', author = '', authorEmail = '', seconds = '', ...message] = text.split('\0');
  return {
    hash,
    author: line(author),
    authorEmail: line(authorEmail),
    message: plain(message.join('')).trim().slice(0, MAX_MESSAGE).toWellFormed(),
    authoredAt: dateOf(seconds),
  };
}

const plain = (text: string) => text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '');

const line = (text: string) =>
  plain(text).replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT).toWellFormed();

/** The last day that a date may have in JavaScript. A commit's own can be anything. */
const LAST_DATE = 8.64e15;

function dateOf(seconds: string): number {
  const ms = Number(seconds) * 1_000;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LAST_DATE) : 0;
}
