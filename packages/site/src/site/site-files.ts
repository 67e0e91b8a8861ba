import type { PreviewImage } from './preview/draw-preview.ts';

/** One file of a site as a build makes it, before it is hashed and compressed. Plain data: another thread may get it. */
export interface SiteFile {
  /** Begins with `/`, percent-decoded: `/`, `/reference`, `/openapi.json`. */
  readonly path: string;
  /** Media type, with its charset. */
  readonly type: string;
  /** `bytesOf` makes bytes of it. */
  readonly content: string | Uint8Array | PreviewImage | YamlOf;
  /** The name changes with the content, so browsers may keep it for ever. */
  readonly immutable?: true;
  /** The content has `{{origin}}` in place of the site's own origin. */
  readonly template?: true;
}

/** A value in YAML, given as JSON: of a large document YAML takes a second to write. */
interface YamlOf {
  readonly yamlOf: string;
}

/** A site, of which no file is hashed or compressed. */
export interface BuiltSite {
  readonly title: string;
  /**
   * All files. They are made while they are gone through, once, since they can have more bytes than a build should
   * hold. Throws SiteLimitError at the first one beyond a limit.
   */
  readonly files: Iterable<SiteFile>;
  /** The content security policy of every HTML page of the site. */
  readonly contentSecurityPolicy: string;
  /**
   * Where paths without a file lead. From a path, percent-decoded as those of files, to an address as it goes into
   * `Location`: a path of the site, percent-encoded, or one that begins with `https://`.
   */
  readonly redirects?: Readonly<Record<string, string>>;
}

/**
 * The limits of a site, whatever its source: a document of a few MB can ask for gigabytes, as each operation's page
 * repeats what it shares with others. An honest document with 20,000 operations stays below.
 */
const SITE_LIMITS = {
  /** Bytes of all files, without their compressed forms. */
  bytes: 300_000_000,
  /** Each file costs the store several rows, and lists of the site a line. */
  files: 60_000,
} as const;

/** The refusal of a site. The message is for the uploader. */
export class SiteLimitError extends Error {
  override name = 'SiteLimitError';
}

/** Passes files on. Throws SiteLimitError at the first one that is too many, or with which they are too large. */
export function* limitFiles(files: Iterable<SiteFile>): Generator<SiteFile> {
  let count = 0;
  let bytes = 0;
  for (const file of files) {
    count += 1;
    expectFiles(count);
    bytes += sizeOf(file);
    if (bytes > SITE_LIMITS.bytes) throw siteTooLarge();
    yield file;
  }
}

/** The bytes of a file; of one that is not made yet about the most that it can have. */
export function sizeOf({ content }: SiteFile): number {
  if (typeof content === 'string' || content instanceof Uint8Array)
    return Buffer.byteLength(content);
  return 'yamlOf' in content ? Buffer.byteLength(content.yamlOf) : MAX_IMAGE_BYTES;
}

const MAX_IMAGE_BYTES = 16_000;

/** Throws SiteLimitError for a site that would have so many files, before they are made. */
export function expectFiles(count: number): void {
  if (count > SITE_LIMITS.files) throw tooManyFiles();
}

function tooManyFiles(): SiteLimitError {
  return new SiteLimitError(
    `The site would have more than ${SITE_LIMITS.files.toLocaleString('en')} files: each operation, each model and each guide has two. Split it into several APIs or sites.`,
  );
}

/** The refusal of a site with too many bytes. */
export function siteTooLarge(): SiteLimitError {
  return new SiteLimitError(
    `The site would have more than ${SITE_LIMITS.bytes / 1_000_000} MB. Each operation has a page of its own, which repeats what it shares with others, and all pages stand in \`llms-full.txt\` once more. Shorten what many operations share, leave out large files, or split it into several APIs or sites.`,
  );
}

/** The path as an address, for `href` and `src`. */
export function hrefOf(path: string): string {
  return PLAIN_PATH.test(path) ? path : path.split('/').map(encodeURIComponent).join('/');
}

/** Most paths are addresses already. */
const PLAIN_PATH = /^[\w./-]*$/;

/** The path of a page's Markdown: `/guides/start.md`, and `/index.md` for `/`. */
export function markdownPath(path: string): string {
  return path.endsWith('/') ? `${path}index.md` : `${path}.md`;
}

/** Media types of generated files. */
export const TYPES = {
  html: 'text/html; charset=utf-8',
  javascript: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  // RFC 9512.
  yaml: 'application/yaml',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
} as const;
