import type { SourceKind } from '../../../store/schema.ts';
import type { BuildLog, DeployProblem, Manifest } from '../../artifact.ts';
import type { PackIndex } from '../artifact/pack.ts';

// What the service, the process of a build and its thread tell each other.

/** A build to be done, by files: what is uploaded and what is made of it can be larger than a service. */
export interface BuildJob {
  readonly kind: SourceKind;
  /** The name of the uploaded file, which appears in problems. */
  readonly name: string;
  /** Bytes of what was uploaded. */
  readonly size: number;
  /** The file with what was uploaded. */
  readonly source: string;
  /** The file to be made, with the contents. */
  readonly pack: string;
  /** A folder that builds share, with contents that all sites have in their compressed forms. */
  readonly compressions: string;
}

/** In megabytes. */
export interface MemoryLimits {
  /** Of the build's JavaScript heap. */
  readonly heap: number;
  /** Of its process, with all that is outside of the heap. */
  readonly resident: number;
}

/** What the thread says of a build: a line of its log, or its result. */
export type BuildMessage =
  | { readonly line: Parameters<BuildLog>[0] }
  | { readonly hash: string; readonly manifest: Manifest; readonly packed: PackIndex }
  | { readonly problems: readonly DeployProblem[] };

/** What the process tells the service: what the build says, or why there is no result. */
export type FromBuildProcess =
  | BuildMessage
  | { readonly tooLarge: true }
  | { readonly defect: string };
