import type { Generated } from 'kysely';

export interface ArtifactTables {
  /** The result of a build. The same document gives the same hash, so deploys share artifacts. */
  artifacts: {
    hash: string;
    /** JSON: Manifest of deploys/artifact.ts. */
    manifest: string;
    created_at: number;
    /** The key of the build that made it last (deploys/build/build-key.ts). null: of an earlier version. */
    build_key: Generated<string | null>;
    /** JSON: BuildLine[], what that build said after its key was known. */
    build_lines: Generated<string>;
  };

  artifact_blobs: { artifact_hash: string; blob_hash: string };

  blobs: {
    /** SHA-256 of the bytes, in hex. */
    hash: string;
    bytes: Uint8Array;
    created_at: number;
  };

  /** What the deploys of projects hold (store/project-contents.ts). Those of deleted projects are removed later. */
  project_contents: {
    project_id: string;
    blob_hash: string;
    /** Bytes, as they are stored. */
    size: number;
    /** How many artifacts of the project's deploys have it. */
    artifacts: number;
  };

  /** One row, with the latest change. A transaction that changes sites locks it until its end, so edges see changes in
   * the order of their numbers. */
  site_clock: {
    id: 1;
    seq: number;
    /** The latest change's mark. */
    mark: string;
  };

  /** Changes that edges poll to invalidate their caches. */
  site_changes: {
    seq: number;
    /** Random: tells a change from one with the same number before the database was restored. */
    mark: string;
    project_id: string;
    at: number;
  };
}
