import { formatBytes } from '@petstore/service/text.ts';
import { type SiteFile, sizeOf } from './site-files.ts';

/** What a site may take, whatever its source: a document of a few MB can ask for gigabytes. */
export interface SiteLimits {
  /** Bytes of all files, without their compressed forms. */
  readonly bytes: number;
  /** Each file costs the store several rows, and lists of the site a line. */
  readonly files: number;
}

/** The limits where the operator sets none: honest documents of 50 MB stay below. */
export const SITE_LIMITS: SiteLimits = { bytes: 1_000_000_000, files: 100_000 };

/** The refusal of a site. The message is for the uploader. */
export class SiteLimitError extends Error {
  override name = 'SiteLimitError';
}

/** Passes files on. Throws SiteLimitError at the first one that is too many, or with which they are too large. */
export function* limitFiles(files: Iterable<SiteFile>, limits: SiteLimits): Generator<SiteFile> {
  let count = 0;
  let bytes = 0;
  for (const file of files) {
    count += 1;
    expectFiles(count, limits);
    bytes += sizeOf(file);
    if (bytes > limits.bytes) throw siteTooLarge(limits);
    yield file;
  }
}

/** Throws SiteLimitError for a site that would have so many files, before they are made. */
export function expectFiles(count: number, { files }: SiteLimits): void {
  if (count <= files) return;
  throw new SiteLimitError(
    `The site would have ${number(count)} files or more, and may have ${number(files)}: each operation, each model and each guide has two. Split it into several APIs or sites, or have the operator raise DASHBOARD_MAX_SITE_FILES.`,
  );
}

const number = (value: number) => value.toLocaleString('en');

/** The refusal of a site with too many bytes. */
export function siteTooLarge({ bytes }: Pick<SiteLimits, 'bytes'>): SiteLimitError {
  return new SiteLimitError(
    `The site would have more than ${formatBytes(bytes)}. Each operation has a page of its own, which repeats what it shares with others, and all pages stand in \`llms-full.txt\` once more. Shorten what many operations share, leave out large files, split it into several APIs or sites, or have the operator raise DASHBOARD_MAX_SITE_BYTES.`,
  );
}
