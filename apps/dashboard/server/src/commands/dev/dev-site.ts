import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import type { Manifest } from '../../deploys/artifact.ts';
import type { PackedArtifact } from '../../deploys/build/artifact/pack.ts';

/** A site that was built, whose contents are in a file: they can be hundreds of megabytes. */
export interface DevSite {
  /** The name of its build. */
  readonly build: string;
  readonly hash: string;
  readonly manifest: Manifest;
  /** undefined for a content of another site. */
  read(hash: string): Uint8Array | undefined;
  /** Removes its file. */
  close(): void;
}

/** The site of a build whose contents are in the pack at a path. */
export function openDevSite(build: string, artifact: PackedArtifact, path: string): DevSite {
  const file = openSync(path, 'r');
  // It stays readable until it is closed, and nothing is left behind, however this process ends.
  rmSync(path);
  let isOpen = true;
  return {
    build,
    hash: artifact.hash,
    manifest: artifact.manifest,
    read(hash) {
      const place = artifact.blobs.get(hash);
      if (!place || !isOpen) return undefined;
      const bytes = Buffer.allocUnsafeSlow(place.length);
      readSync(file, bytes, 0, place.length, place.start);
      return bytes;
    },
    close() {
      isOpen = false;
      closeSync(file);
    },
  };
}
