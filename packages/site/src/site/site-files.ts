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
  /** Its own colour, legible on light and dark pages. Absent where it has the usual one. */
  readonly accent?: { readonly light: string; readonly dark: string };
  /** Where paths without a file lead, each percent-decoded as those of files. */
  readonly redirects?: Readonly<Record<string, RedirectTarget>>;
  /** Where paths lead that begin with one of these, each percent-decoded with a slash at its end: `/old/`. */
  readonly redirectPrefixes?: Readonly<Record<string, RedirectTarget>>;
}

/**
 * An address as it goes into `Location`: a path of the site, percent-encoded, or one that begins with `https://`. As a
 * text it is permanent (308).
 */
export type RedirectTarget =
  | string
  | {
      readonly to: string;
      /** 308 where it is absent. */
      readonly status?: 301 | 302;
      /** Of a prefix: the rest of the path comes behind `to`, which ends with a slash. */
      readonly keepsRest?: true;
    };

/** The bytes of a file; of one that is not made yet about the most that it can have. */
export function sizeOf({ content }: SiteFile): number {
  if (typeof content === 'string' || content instanceof Uint8Array)
    return Buffer.byteLength(content);
  return 'yamlOf' in content ? Buffer.byteLength(content.yamlOf) : MAX_IMAGE_BYTES;
}

const MAX_IMAGE_BYTES = 16_000;

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
  // RFC 4287, and the JSON Feed's own.
  atom: 'application/atom+xml; charset=utf-8',
  jsonFeed: 'application/feed+json',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
} as const;
