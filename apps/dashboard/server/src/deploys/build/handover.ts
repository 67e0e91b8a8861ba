import type { Artifact, Manifest, ManifestEntry } from '../artifact.ts';

// An artifact may have tens of thousands of blobs. Handed from thread to thread in one message, with a
// memory of its own for each, they hold the receiver up for seconds; so they go in a few parts.

/** Bytes of the blobs in a part, unless one alone is larger. */
const PART_BYTES = 4_000_000;

/** Blobs or files of a part: a few milliseconds' work for who receives it. */
const PART_ITEMS = 500;

/** A piece of an artifact, in any order; the last has what is left. */
export type ArtifactPart =
  | {
      readonly bytes: Uint8Array<ArrayBuffer>;
      /** Whose bytes they are: each blob's hash and its length, one behind the other. */
      readonly blobs: readonly (readonly [hash: string, length: number])[];
    }
  | { readonly files: readonly (readonly [path: string, entry: ManifestEntry])[] }
  | { readonly hash: string; readonly manifest: Omit<Manifest, 'files'> };

/** Whether an artifact is complete with this piece. */
export function isLast(part: ArtifactPart): boolean {
  return 'hash' in part;
}

/** Takes an artifact apart. The bytes are copies. */
export function* artifactParts({ hash, manifest, blobs }: Artifact): Generator<ArtifactPart> {
  let group: [string, Uint8Array][] = [];
  let size = 0;
  for (const blob of blobs) {
    const { length } = blob[1];
    if (group.length === PART_ITEMS || (size > 0 && size + length > PART_BYTES)) {
      yield packed(group, size);
      group = [];
      size = 0;
    }
    group.push(blob);
    size += length;
  }
  yield packed(group, size);
  const { files, ...others } = manifest;
  const entries = Object.entries(files);
  for (let at = 0; at < entries.length; at += PART_ITEMS) {
    yield { files: entries.slice(at, at + PART_ITEMS) };
  }
  yield { hash, manifest: others };
}

function packed(group: readonly [string, Uint8Array][], size: number): ArtifactPart {
  const bytes = new Uint8Array(size);
  let end = 0;
  for (const [, blob] of group) {
    bytes.set(blob, end);
    end += blob.length;
  }
  return { bytes, blobs: group.map(([hash, { length }]) => [hash, length]) };
}

/** Puts an artifact together: to be called with each part; returns the artifact with the last. */
export function artifactReceiver(): (part: ArtifactPart) => Artifact | undefined {
  const blobs = new Map<string, Uint8Array>();
  const files: Record<string, ManifestEntry> = {};
  return (part) => {
    if ('bytes' in part) {
      let end = 0;
      for (const [hash, length] of part.blobs) {
        blobs.set(hash, part.bytes.subarray(end, end + length));
        end += length;
      }
    } else if ('files' in part) {
      for (const [path, entry] of part.files) files[path] = entry;
    } else return { hash: part.hash, manifest: { ...part.manifest, files }, blobs };
    return undefined;
  };
}
