import type { RepositoryHost, WebRepository } from './web-address.ts';

interface Place {
  /** Percent-encoded, as is the path. */
  readonly branch: string;
  readonly path: string;
}

interface HostAddresses {
  readonly commit: (hash: string) => string;
  readonly edit: (place: Place) => string;
  readonly file: (place: Place) => string;
  readonly line: (line: number) => string;
}

/** What follows a repository's address. */
const ADDRESSES: Readonly<Record<RepositoryHost, HostAddresses>> = {
  github: {
    commit: (hash) => `/commit/${hash}`,
    edit: ({ branch, path }) => `/edit/${branch}/${path}`,
    file: ({ branch, path }) => `/blob/${branch}/${path}`,
    line: (line) => `#L${line}`,
  },
  gitlab: {
    commit: (hash) => `/-/commit/${hash}`,
    edit: ({ branch, path }) => `/-/edit/${branch}/${path}`,
    file: ({ branch, path }) => `/-/blob/${branch}/${path}`,
    line: (line) => `#L${line}`,
  },
  gitea: {
    commit: (hash) => `/commit/${hash}`,
    edit: ({ branch, path }) => `/_edit/${branch}/${path}`,
    file: ({ branch, path }) => `/src/branch/${branch}/${path}`,
    line: (line) => `#L${line}`,
  },
  bitbucket: {
    commit: (hash) => `/commits/${hash}`,
    edit: ({ branch, path }) => `/src/${branch}/${path}?mode=edit&at=${branch}`,
    file: ({ branch, path }) => `/src/${branch}/${path}`,
    line: (line) => `#lines-${line}`,
  },
};

/** The page of a commit; undefined where the host is not known. */
export const commitAddress = ({ url, host }: WebRepository, hash: string) =>
  host && url + ADDRESSES[host].commit(hash);

/** Where a file is edited, by its path from the root of the repository; undefined where the host is not known. */
export const editAddress = ({ url, host }: WebRepository, branch: string, path: string) =>
  host && url + ADDRESSES[host].edit(encoded(branch, path));

/** Where a file is read, at one of its lines; undefined where the host is not known. */
export const fileAddress = (
  { url, host }: WebRepository,
  branch: string,
  path: string,
  line: number | null,
) =>
  host &&
  url +
    ADDRESSES[host].file(encoded(branch, path)) +
    (line === null ? '' : ADDRESSES[host].line(line));

const encoded = (branch: string, path: string): Place => ({
  branch: encodeSegments(branch),
  path: encodeSegments(path),
});

const encodeSegments = (text: string) => text.split('/').map(encodeURIComponent).join('/');
