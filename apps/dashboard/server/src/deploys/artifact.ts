// The result of a build: the files of a site by path, each content named by its hash. It is immutable, so that a deploy
// goes live with one row in the store, and a roll-back is another.

import { hash } from 'node:crypto';
import { truncate } from '@petstore/service/text.ts';
import type { BuildProblem, Finding } from '@petstore/site/build-log.ts';
import type { Publication } from '@petstore/site/site/publication.ts';
import type { BuiltSite } from '@petstore/site/site/site-files.ts';
import type { DeployLimits } from './deploy-limits.ts';

export type Coding = 'br' | 'gzip';

/** One file of a site. */
export interface ManifestEntry {
  /** SHA-256 of the content, in hex. */
  readonly hash: string;
  /** Bytes of the content. */
  readonly size: number;
  /** Media type, with its charset. */
  readonly type: string;
  /** The content compressed, where that is smaller: each a blob of its own. */
  readonly codings?: Partial<Record<Coding, { readonly hash: string; readonly size: number }>>;
  /**
   * The content is stored in its codings alone, since they have a quarter of the bytes and few clients want none. Absent
   * in manifests of earlier versions.
   */
  readonly compressedOnly?: true;
  /** The name contains the content's hash, so browsers may cache it forever. */
  readonly immutable?: true;
  /**
   * The content has `{{origin}}` in place of the site's own origin (`https://docs.example.com`), which is filled in
   * when the file is served: one artifact is served on several hosts. Such a file is not compressed beforehand.
   */
  readonly template?: true;
}

export interface Manifest {
  readonly version: 1;
  readonly title: string;
  /**
   * By path, each beginning with `/`, percent-decoded: `/`, `/openapi.json`, `/guides/start`. The page for missing
   * paths is at `/404.html`.
   */
  readonly files: Readonly<Record<string, ManifestEntry>>;
  /** For every HTML page of the site. */
  readonly contentSecurityPolicy: string;
  /** Its own colour, legible on light and dark pages. Absent where it has the usual one, and in earlier manifests. */
  readonly accent?: BuiltSite['accent'];
  /** Where paths without a file lead, each percent-decoded. Absent where a site has none. */
  readonly redirects?: BuiltSite['redirects'];
  /** Where paths lead that begin with one of these. Absent in manifests of earlier versions, and where a site has none. */
  readonly redirectPrefixes?: BuiltSite['redirectPrefixes'];
}

export interface Artifact {
  /** SHA-256, in hex, of the manifest's paths, types, content hashes, redirects and policy: not of the compressed forms. */
  readonly hash: string;
  readonly manifest: Manifest;
}

/** Takes the blobs that a manifest names, each once, while the artifact is made. */
export type KeepBlob = (hash: string, bytes: Uint8Array) => void;

/**
 * The longest texts of a deploy, in letters. They may quote the upload. A build returns none that are longer, and those
 * that earlier versions stored are cut when they are read.
 */
const MAX_LENGTH = { message: 1_000, path: 500, line: 2_000 };

export function shortProblem({ message, path, file, line }: BuildProblem): BuildProblem {
  return {
    message: truncate(message, MAX_LENGTH.message),
    path: truncate(path, MAX_LENGTH.path),
    ...(file !== undefined && { file: truncate(file, MAX_LENGTH.path) }),
    line,
  };
}

export function shortFinding({ message, path, file, ...finding }: Finding): Finding {
  return {
    ...finding,
    message: truncate(message, MAX_LENGTH.message),
    file: truncate(file, MAX_LENGTH.path),
    path: truncate(path, MAX_LENGTH.path),
  };
}

/** A finding in a line of a log: with its place, where it has one. */
export function findingText({ message, file, path, line }: Finding): string {
  const place = path || (line === null ? '' : `${file}:${line}`);
  return place === '' ? message : `${place}: ${message}`;
}

/** The text of a line of a log. */
export const shortMessage = (message: string) => truncate(message, MAX_LENGTH.line);

export interface BuildInput {
  readonly kind: 'document' | 'tar.gz' | 'zip';
  readonly bytes: Uint8Array;
  /** The name of the uploaded file, which appears in problems. */
  readonly name: string;
  /** The path of the document in an archive; undefined where the archive says it. */
  readonly document?: string | undefined;
  /** Absent where nothing is known of it. */
  readonly publication?: Publication;
  /** Absent for DEPLOY_LIMITS. */
  readonly limits?: DeployLimits;
}

export type BuildResult =
  | { readonly artifact: Artifact }
  | { readonly problems: readonly BuildProblem[] };

/** The name of an artifact: not of the compressed forms of its contents. */
export function artifactHash({
  files,
  contentSecurityPolicy,
  redirects = {},
  redirectPrefixes = {},
}: Omit<Manifest, 'version' | 'title'>): string {
  const identity = {
    files: Object.entries(files).map(([path, { type, hash: content }]) => [path, type, content]),
    contentSecurityPolicy,
    redirects: Object.entries(redirects),
    ...(Object.keys(redirectPrefixes).length > 0 && { prefixes: Object.entries(redirectPrefixes) }),
  };
  return hash('sha256', JSON.stringify(identity), 'hex');
}

/** The contents that a manifest names, as they are stored: each with its size in bytes. */
export function contentsOf({ files }: Pick<Manifest, 'files'>): Map<string, number> {
  const contents = new Map<string, number>();
  for (const entry of Object.values(files)) {
    const codings = Object.values(entry.codings ?? {});
    for (const one of entry.compressedOnly ? codings : [entry, ...codings])
      contents.set(one.hash, one.size);
  }
  return contents;
}
