import type { BuildLog, BuildProblem } from '@petstore/site/build-log.ts';
import type { Changelog } from '@petstore/site/changelog/changelog.ts';
import type { Publication } from '@petstore/site/site/publication.ts';
import type { SourceKind } from '../../../store/schema/deploys.ts';
import type { Coding, Manifest } from '../../artifact.ts';
import type { ComparisonOutcome } from '../../changes/deploy-change.ts';
import type { DeployLimits } from '../../deploy-limits.ts';
import type { PackIndex } from '../artifact/pack.ts';
import type { BuiltDocument } from '../build-service.ts';

// The messages between the service, the process of a build and its thread.

/** A build job. Its input and output are files, since both can be larger than the memory of a service. */
export interface BuildJob {
  readonly kind: SourceKind;
  /** The name of the uploaded file, which appears in problems. */
  readonly name: string;
  /** The path of the document in an archive; undefined where the archive says it. */
  readonly document?: string | undefined;
  /** The size of the upload, in bytes. */
  readonly size: number;
  /** The uploaded file. */
  readonly source: string;
  /** The output file, with the contents. */
  readonly pack: string;
  /** A folder in which builds share the compressed forms of contents that all sites have. */
  readonly compressions: string;
  readonly publication?: Publication;
  readonly limits?: DeployLimits;
}

/** A comparison job: the upload that was built, and the documents that are published where its site will be. */
export interface ComparisonJob
  extends Pick<BuildJob, 'kind' | 'name' | 'document' | 'size' | 'source' | 'limits'> {
  readonly published: readonly PublishedDocument[];
  /** `2026-11-30`, in UTC. */
  readonly today: string;
  /** The time of the deploy, as RFC 3339 has it: that of its entries in the changelog. */
  readonly deployedAt: string;
}

/** A document as readers of a site can have it. */
export interface PublishedDocument {
  /** Of its reference; empty for a site's only one. */
  readonly address: string;
  /** Its path in the site: `openapi.json`. */
  readonly name: string;
  /** The file with its bytes, as they are stored. */
  readonly file: string;
  readonly coding: Coding | null;
  /** How many bytes it has without a coding. */
  readonly size: number;
}

/** The service's answers: whether it has the result of an earlier build, and the changelog of the site. */
type Answer = { readonly isKnown: boolean } | { readonly changelog: Changelog };

/** A message of the service to the process, and of that to its thread. */
export type ToBuildProcess = BuildJob | ComparisonJob | Answer;

/**
 * A message of the thread: a line of the log, the key of what is built or its documents, which wait for their answers, or
 * the result.
 */
export type BuildMessage =
  | { readonly line: Parameters<BuildLog>[0] }
  | { readonly key: string }
  | { readonly documents: readonly BuiltDocument[] }
  | { readonly isKnown: true }
  | { readonly hash: string; readonly manifest: Manifest; readonly packed: PackIndex }
  | { readonly problems: readonly BuildProblem[] }
  | { readonly comparison: ComparisonOutcome };

/**
 * A message of the process to the service: one of the thread's, before a result how many megabytes are resident, or why
 * there is no result.
 */
export type FromBuildProcess =
  | BuildMessage
  | { readonly resident: number }
  | { readonly tooLarge: true }
  | { readonly defect: string };
