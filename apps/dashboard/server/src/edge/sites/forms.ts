import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
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

/** What becomes of a template when it is served. */
export interface Template {
  /** Replaces `{{origin}}`. */
  readonly origin: string;
  /** Media type. */
  readonly type: string;
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

/** A template with its origin, and its compressed forms where it has at most `maxCompressed` bytes. */
export async function fillTemplate(
  bytes: Uint8Array,
  { origin, type }: Template,
  maxCompressed: number,
): Promise<Forms> {
  const template = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // By bytes, whatever the text's encoding: the mark and the origin are ASCII.
  const text = template.toString('latin1').replaceAll('{{origin}}', () => origin);
  const filled = Buffer.from(text, 'latin1');
  const { br, gzip } = filled.length <= maxCompressed ? await compress(filled, type) : {};
  return {
    identity: toContent(filled),
    ...(br && { br: toContent(br) }),
    ...(gzip && { gzip: toContent(gzip) }),
  };
}

/** Bytes of all forms together. */
export function bytesOf({ identity, br, gzip }: Forms): number {
  return identity.length + (br?.length ?? 0) + (gzip?.length ?? 0);
}
