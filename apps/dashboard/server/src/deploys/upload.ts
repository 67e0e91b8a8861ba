import { ApiError, invalid } from '../api-error.ts';
import type { BuildInput } from './artifact.ts';

/** What was uploaded: its kind, its bytes, and the name of its file for people. */
export type Upload = BuildInput;

export const MAX_DOCUMENT_BYTES = 10_000_000;
export const MAX_ARCHIVE_BYTES = 50_000_000;

const MAX_NAME_LENGTH = 200;

/** Tells what a body is by its first bytes: clients name many types for the same thing. */
export function readUpload(bytes: Uint8Array, givenName: string | undefined): Upload {
  if (bytes.length === 0)
    throw invalid('The body must be an OpenAPI document or an archive; it is empty.');
  const kind = kindOf(bytes);
  if (kind === 'document' && bytes.length > MAX_DOCUMENT_BYTES) {
    throw new ApiError(
      'payload_too_large',
      `A document must be at most ${MAX_DOCUMENT_BYTES / 1_000_000} MB large; this one has ${(bytes.length / 1_000_000).toFixed(1)} MB.`,
    );
  }
  return { kind, bytes, name: readFileName(givenName) ?? defaultName(kind, bytes) };
}

function kindOf(bytes: Uint8Array): Upload['kind'] {
  // gzip: RFC 1952, section 2.3.1. zip: the signature of a local file header, or of an empty archive's end.
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'tar.gz';
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);
  return isZip ? 'zip' : 'document';
}

/** The header X-File-Name, percent-encoded: without folders and control characters. */
function readFileName(given: string | undefined): string | undefined {
  if (!given) return undefined;
  try {
    const name = decodeURIComponent(given)
      .replace(/^.*[/\\]/s, '')
      .replaceAll(/\p{C}/gu, '')
      .trim();
    return [...name].slice(0, MAX_NAME_LENGTH).join('') || undefined;
  } catch {
    throw invalid('X-File-Name must be percent-encoded UTF-8.');
  }
}

function defaultName(kind: Upload['kind'], bytes: Uint8Array): string {
  if (kind !== 'document') return `docs.${kind}`;
  return /^\s*\{/.test(Buffer.from(bytes.subarray(0, 100)).toString('latin1'))
    ? 'openapi.json'
    : 'openapi.yaml';
}
