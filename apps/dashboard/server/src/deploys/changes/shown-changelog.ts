import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import {
  CHANGELOG_STATE,
  type Changelog,
  EMPTY_CHANGELOG,
  readChangelog,
} from '@petstore/site/changelog/changelog.ts';
import { type LiveManifest, readBlob } from '../../store/artifacts.ts';
import type { Db } from '../../store/schema.ts';

/** The changelog that a deploy carries; an empty one where it has none. */
export async function shownChangelog(
  db: Db,
  { manifest }: Pick<LiveManifest, 'manifest'>,
): Promise<Changelog> {
  const entry = manifest.files[CHANGELOG_STATE];
  if (!entry) return EMPTY_CHANGELOG;
  const { br, gzip } = entry.compressedOnly ? (entry.codings ?? {}) : {};
  const stored = await readBlob(db, (br ?? gzip ?? entry).hash);
  // Gone only where the deploy was replaced and pruned at this moment.
  if (!stored) return EMPTY_CHANGELOG;
  const bounds = { maxOutputLength: entry.size };
  const bytes = br
    ? brotliDecompressSync(stored, bounds)
    : gzip
      ? gunzipSync(stored, bounds)
      : stored;
  return readChangelog(Buffer.from(bytes).toString());
}
