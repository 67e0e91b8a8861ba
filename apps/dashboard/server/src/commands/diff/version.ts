import type { ComparedDocument } from '@petstore/changes/api-document.ts';
import type { VersionSources } from '../../deploys/changes/version-sources.ts';

/** A version of an API, as it is compared. */
export interface Version {
  readonly path: string;
  /** A document by itself, and no folder. */
  readonly isFile: boolean;
  /** By the address of the reference, where a folder has several: `payments`. Otherwise by an empty text. */
  readonly documents: ReadonlyMap<string, ComparedDocument>;
  readonly rules: VersionSources['rules'];
  /** What to tell whoever asks, each a line. */
  readonly notes: readonly string[];
}
