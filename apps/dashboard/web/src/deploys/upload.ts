import { sizeAndLimit } from '@petstore/service/text.ts';
import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import { apiError, OfflineError, path } from '../api.ts';

const KINDS = [
  { ending: '.json', type: 'application/json' },
  { ending: '.yaml', type: 'application/yaml' },
  { ending: '.yml', type: 'application/yaml' },
  { ending: '.tar.gz', type: 'application/gzip' },
  { ending: '.tgz', type: 'application/gzip' },
  { ending: '.zip', type: 'application/zip' },
] as const;

/** The files that a file button offers. */
export const ACCEPTED = '.json,.yaml,.yml,.gz,.tgz,.zip';

const kindOf = ({ name }: File) => KINDS.find(({ ending }) => name.toLowerCase().endsWith(ending));

/** Why the dropped files cannot be deployed; undefined when they can. */
export function dropProblem({ files, items }: DataTransfer): string | undefined {
  if (files.length > 1) {
    return `One file at a time: ${files.length} were dropped. Put guides and their document into one archive.`;
  }
  // A dropped folder appears as a file with its name and without its contents.
  const entry = items[0]?.webkitGetAsEntry();
  if (!entry?.isDirectory) return undefined;
  return `“${entry.name}” is a folder: compress it to a .zip, or use the command line.`;
}

/**
 * Why a file cannot be deployed, before it is sent; undefined when it can. `maxBytes`: what the installation takes;
 * undefined while that is not known, and the server checks it.
 */
export function fileProblem(file: File, maxBytes: number | undefined): string | undefined {
  const kind = kindOf(file);
  if (!kind) {
    return `“${file.name}” is not of a kind that can be deployed: an OpenAPI document (.json, .yaml) or an archive with guides (.tar.gz, .zip).`;
  }
  if (file.size === 0) return `“${file.name}” is empty.`;
  if (maxBytes !== undefined && file.size > maxBytes) {
    return `“${file.name}” has ${sizeAndLimit(file.size, maxBytes)} that this installation takes.`;
  }
  return undefined;
}

interface Upload {
  readonly slug: string;
  readonly file: File;
  /** Whether the deploy goes live when it succeeds. */
  readonly activate: boolean;
  /** What it is about; empty for nothing. */
  readonly message: string;
  /** Called with the part that has been sent, 0 to 1. */
  readonly onProgress: (part: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Sends a file to be deployed.
 *
 * @throws ApiError when the server refuses it; OfflineError when there is no response; the signal's reason when
 *   it was given up
 */
export function upload({
  slug,
  file,
  activate,
  message,
  onProgress,
  signal,
}: Upload): Promise<Deploy> {
  // fetch() cannot tell how much it has sent.
  const xhr = new XMLHttpRequest();
  const query = new URLSearchParams({
    ...(!activate && { activate: 'false' }),
    ...(message.trim() !== '' && { message }),
  });
  return new Promise((resolve, reject) => {
    xhr.open('POST', `/api${path`/projects/${slug}/deploys`}?${query}`);
    xhr.setRequestHeader('accept', 'application/json');
    xhr.setRequestHeader('content-type', kindOf(file)?.type ?? 'application/octet-stream');
    xhr.setRequestHeader('x-file-name', encodeURIComponent(file.name));
    xhr.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    xhr.onerror = () => reject(new OfflineError());
    xhr.onabort = () => reject(signal.reason);
    xhr.onload = () =>
      xhr.status === 202
        ? resolve(JSON.parse(xhr.responseText) as Deploy)
        : reject(apiError(xhr.status, xhr.responseText));
    signal.addEventListener('abort', () => xhr.abort());
    xhr.send(file);
  });
}
