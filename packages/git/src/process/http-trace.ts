import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from '../git-error.ts';
import type { RepositoryUrl } from '../repository-url.ts';

/** What git was answered over https, of which it says little itself. */
export interface HttpTrace {
  /** What git is told by its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether a response was one of git's own protocol, and not a page of a web site. */
  hasGitResponse(): Promise<boolean>;
  /** Where the last redirect led to; null where there was none. */
  redirect(): Promise<string | null>;
}

/** How much of it is read, in bytes. */
const MAX_BYTES = 262_144;

/** git writes the heads of responses to a file of the session, without credentials (GIT_TRACE_REDACT). */
export function httpTrace(folder: string): HttpTrace {
  const file = join(folder, 'http-trace');
  return {
    env: { GIT_TRACE_CURL: file, GIT_TRACE_CURL_NO_DATA: '1', GIT_TRACE_REDACT: '1' },
    async hasGitResponse() {
      return (await valuesOf(file, 'content-type')).some((type) =>
        /^application\/x-git-/i.test(type),
      );
    },
    async redirect() {
      return (await valuesOf(file, 'location')).at(-1) ?? null;
    },
  };
}

async function valuesOf(file: string, name: string): Promise<string[]> {
  const text = await readBeginning(file);
  const pattern = new RegExp(`<= Recv header: ${name}: *([^\\r\\n]*)`, 'gi');
  return [...text.matchAll(pattern)].map(([, value = '']) => value.trim());
}

async function readBeginning(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (!file) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The error for a redirect that is not followed. `location`: where it leads to, as the host says. */
export function redirectedTo({ host, path }: RepositoryUrl, location: string | null): GitError {
  const moved = /^(https:\/\/[!-~]{1,500}?)\/info\/refs(?:\?|$)/.exec(location ?? '')?.[1];
  const remedy = moved
    ? `The repository seems to have moved: change the address to ${moved}, if you know that host.`
    : 'Look the repository up in a browser, and change the address.';
  const place = moved ?? 'another place';
  return new GitError(
    'redirected',
    `${host} redirects ${path} to ${place}, which is not followed. ${remedy}`,
    { detail: location ? `location: ${location.slice(0, 500)}` : '' },
  );
}
