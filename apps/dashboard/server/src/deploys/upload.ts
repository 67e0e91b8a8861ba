import { open } from 'node:fs/promises';
import { ApiError } from '@petstore/http/errors.ts';
import { formatBytes, sizeAndLimit } from '@petstore/service/text.ts';
import { invalidRequest } from '../api-error.ts';
import type { SourceKind } from '../store/schema/deploys.ts';

/** The kind of an upload is detected by this many first bytes. */
const BEGINNING = 100;

const MAX_NAME_LENGTH = 200;

/** An uploaded file; the receiver deletes it. */
export interface ReceivedFile {
  readonly path: string;
  readonly size: number;
}

/** The kind of an upload, and the name of its file for people. */
export interface UploadDescription {
  readonly kind: SourceKind;
  readonly name: string;
}

/** An upload in a file. */
export interface Upload extends UploadDescription, ReceivedFile {}

/** Detects the kind and the name of an upload. Throws ApiError when it cannot be deployed. */
export async function readUpload(
  received: ReceivedFile | undefined,
  givenName: string | undefined,
): Promise<Upload> {
  if (!received) throw emptyUpload();
  const file = await open(received.path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
    const beginning = buffer.subarray(0, bytesRead);
    return { ...received, ...describeUpload(received.size, beginning, givenName) };
  } finally {
    await file.close();
  }
}

/**
 * Detects the kind of an upload of `size` bytes by its first hundred bytes: clients send many Content-Types for the
 * same thing. `givenName`: percent-encoded. Throws ApiError when it cannot be deployed.
 */
export function describeUpload(
  size: number,
  bytes: Uint8Array,
  givenName: string | undefined,
): UploadDescription {
  if (size === 0) throw emptyUpload();
  const beginning = bytes.subarray(0, BEGINNING);
  const kind = kindOf(beginning);
  return { kind, name: readFileName(givenName) ?? defaultName(kind, beginning) };
}

/** Throws ApiError where `document` is no path of a document in the archive that was uploaded. */
export function refuseDocumentPath(document: string, { kind }: UploadDescription): void {
  if (kind === 'document')
    throw invalidRequest(
      '`document` is the path of a document in an archive, but the body is a document itself. Leave it out, or send an archive.',
    );
  const isPath = !document.split('/').some((segment) => ['', '.', '..'].includes(segment));
  if (!isPath || !/\.(?:ya?ml|json)$/i.test(document))
    throw invalidRequest(
      '`document` must be the path of a YAML or JSON file from the root of the archive, such as `specs/openapi.yaml`.',
    );
}

/** The refusal of an upload of more than `most` bytes. `size`: how many it has, where that is known. */
export function uploadTooLarge(most: number, size?: number): ApiError {
  const excess =
    size === undefined
      ? `more than the ${formatBytes(most)} that this service takes`
      : `${sizeAndLimit(size, most)} that this service takes`;
  const message = `The upload has ${excess}. Its operator sets the limit (DASHBOARD_MAX_UPLOAD_BYTES).`;
  return new ApiError('payload_too_large', message);
}

function emptyUpload(): ApiError {
  return invalidRequest('The body must be an OpenAPI document or an archive; it is empty.');
}

function kindOf(bytes: Uint8Array): SourceKind {
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
    throw invalidRequest('X-File-Name must be percent-encoded UTF-8.');
  }
}

function defaultName(kind: SourceKind, beginning: Uint8Array): string {
  if (kind !== 'document') return `docs.${kind}`;
  return /^\s*\{/.test(Buffer.from(beginning).toString('latin1')) ? 'openapi.json' : 'openapi.yaml';
}
