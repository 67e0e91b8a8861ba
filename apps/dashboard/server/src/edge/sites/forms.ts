import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { type PreviewBar, withPreviewBar } from '@petstore/site/site/preview-bar.ts';
import { withoutReaders } from '@petstore/site/site/readers/feedback-form.ts';
import { type Analytics, withAnalytics } from '@petstore/site/site/readers/own-analytics.ts';
import { movedMarkdown, movedPage, movedStyle } from '@petstore/site/site/versions/moved-files.ts';
import { type PageVersions, withVersions } from '@petstore/site/site/versions/page-versions.ts';
import type { Coding } from '../../deploys/artifact.ts';
import { compress } from '../../deploys/build/artifact/compress.ts';

/** The content of a file: a string has a character, up to U+00FF, for each byte. */
export type Content = string | Buffer;

/** Without a coding, or compressed. */
export type Form = 'identity' | Coding;

/** Something of each form that a file has. */
export type FormsOf<T> = { readonly identity: T } & { readonly [coding in Coding]?: T };

export type Forms = FormsOf<Content>;

/** A blob that has a content in a coding. */
export interface PackedContent {
  readonly hash: string;
  readonly coding: Coding;
  /** Bytes of the content. */
  readonly size: number;
}

/** What becomes of a stored content when it is served. */
export interface Template {
  /** Replaces `{{origin}}`; undefined: there is none in it. */
  readonly origin: string | undefined;
  /** Media type. */
  readonly type: string;
  /** The prefix of the addresses in it, such as `/v2`; undefined: they stay. */
  readonly base?: string | undefined;
  /** Of a page: the versions of its site that it shows. */
  readonly versions?: PageVersions | undefined;
  /** Of a page: what it asks and tells of its readers is left out. */
  readonly isWithoutReaders?: boolean | undefined;
  /** Of a page: the script of analytics in its head. */
  readonly analytics?: Analytics | undefined;
  /** Of a page: what it says of itself, as it is not live. */
  readonly previewBar?: PreviewBar | undefined;
}

/**
 * Up to this size contents are kept as strings: Node sends headers and a string as one, and from 16 KiB
 * on it has to find memory for that.
 */
const MAX_STRING_BYTES = 14 * 1024;

export function toContent(bytes: Uint8Array): Content {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return content.length <= MAX_STRING_BYTES ? content.toString('latin1') : content;
}

const UNPACKERS = { br: promisify(brotliDecompress), gzip: promisify(gunzip) } as const;

/** The content of a blob. Rejects with zlib's error where it is another than was stored. */
export function unpack(bytes: Uint8Array, { coding, size }: PackedContent): Promise<Buffer> {
  return UNPACKERS[coding](bytes, { maxOutputLength: size });
}

/** A content as it is served, and its compressed forms where it has at most `maxCompressed` bytes. */
export async function fillTemplate(
  bytes: Uint8Array,
  template: Template,
  maxCompressed: number,
): Promise<Forms> {
  const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // By bytes, whatever the text's encoding: marks, addresses and names of versions are ASCII.
  const filled = Buffer.from(filledText(stored.toString('latin1'), template), 'latin1');
  const { br, gzip } = filled.length <= maxCompressed ? await compress(filled, template.type) : {};
  return {
    identity: toContent(filled),
    ...(br && { br: toContent(br) }),
    ...(gzip && { gzip: toContent(gzip) }),
  };
}

function filledText(text: string, template: Template): string {
  const { origin, type, base, versions, isWithoutReaders, analytics, previewBar } = template;
  const asked = isWithoutReaders ? withoutReaders(text) : text;
  const own = analytics ? withAnalytics(asked, analytics) : asked;
  const filled = origin === undefined ? own : withOrigin(own, origin, base);
  const moved = base === undefined ? filled : movedText(filled, type, base);
  const versioned = versions ? withVersions(moved, versions) : moved;
  return previewBar ? withPreviewBar(versioned, previewBar) : versioned;
}

/** The origin of a site, and its prefix where it has one: then the start page is at the prefix itself. */
function withOrigin(text: string, origin: string, base: string | undefined): string {
  if (base === undefined) return text.replaceAll('{{origin}}', () => origin);
  return text.replace(/\{\{origin\}\}(?:\/(?=[<)"\s#?]))?/g, () => origin + base);
}

function movedText(text: string, type: string, base: string): string {
  if (type.startsWith('text/html')) return movedPage(text, base);
  if (type.startsWith('text/css')) return movedStyle(text, base);
  return type.startsWith('text/markdown') ? movedMarkdown(text, base) : text;
}

/** Files of these types name others by paths from the root. */
export const isMoved = (type: string): boolean => /^text\/(?:html|css|markdown)\b/.test(type);

/** Bytes of all forms together. */
export function bytesOf({ identity, br, gzip }: Forms): number {
  return identity.length + (br?.length ?? 0) + (gzip?.length ?? 0);
}
