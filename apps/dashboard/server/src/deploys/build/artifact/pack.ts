import { closeSync, openSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { KeepBlob, Manifest } from '../../artifact.ts';

// A build passes its contents on in one file: they can be hundreds of megabytes, and the store needs only a few at a
// time.

/** An artifact whose contents are in a pack. */
export interface PackedArtifact {
  readonly hash: string;
  readonly manifest: Manifest;
  /** For each content, by its hash: where it begins in the pack, and its length. */
  readonly blobs: ReadonlyMap<string, Place>;
}

interface Place {
  readonly start: number;
  readonly length: number;
}

/** Contents in their order in a pack. */
export type PackIndex = readonly (readonly [hash: string, length: number])[];

/** A pack that is being written. */
export interface OpenPack {
  /** Adds a content at the end. Throws as `fs` does, when the disk is full, say. */
  readonly keep: KeepBlob;
  readonly close: () => PackIndex;
}

/** Begins a pack in a new file. It is written by a thread of its own, which may wait for the disk. */
export function openPack(path: string): OpenPack {
  const file = openSync(path, 'w', 0o600);
  const index: (readonly [hash: string, length: number])[] = [];
  return {
    keep(hash, bytes) {
      index.push([hash, bytes.length]);
      writeFileSync(file, bytes);
    },
    close() {
      closeSync(file);
      return index;
    },
  };
}

/** The position of each content in the pack. */
export function offsetsOf(packed: PackIndex): PackedArtifact['blobs'] {
  let start = 0;
  const places = new Map<string, Place>();
  for (const [hash, length] of packed) {
    places.set(hash, { start, length });
    start += length;
  }
  return places;
}

/** Reads the wanted contents of a pack, one after the other. */
export async function* unpackBlobs(
  path: string,
  places: PackedArtifact['blobs'],
  wanted: ReadonlySet<string>,
): AsyncGenerator<readonly [hash: string, bytes: Uint8Array]> {
  const file = await open(path);
  try {
    for (const [hash, { start, length }] of places) {
      if (!wanted.has(hash)) continue;
      const { buffer, bytesRead } = await file.read(
        Buffer.allocUnsafeSlow(length),
        0,
        length,
        start,
      );
      if (bytesRead < length)
        throw new Error(`The pack of a build ends early, at ${start + bytesRead}.`);
      yield [hash, buffer];
    }
  } finally {
    await file.close();
  }
}
