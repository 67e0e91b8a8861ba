import { once } from 'node:events';
import { parentPort, type TransferListItem, workerData } from 'node:worker_threads';
import type { BuildInput, BuildLog, DeployProblem } from '../artifact.ts';
import { buildArchive } from './archive-build.ts';
import { rememberCompressions, rememberedCompressions } from './artifact.ts';
import type { KnownCompressions } from './compress.ts';
import { type ArtifactPart, artifactParts } from './handover.ts';

// A thread that builds one site and ends, in the middle if it must.

export interface BuildJob {
  readonly input: BuildInput;
  /** What earlier builds compressed. */
  readonly known: KnownCompressions;
}

export type BuildMessage =
  | { readonly line: Parameters<BuildLog>[0] }
  | { readonly known: KnownCompressions }
  | { readonly part: ArtifactPart }
  | { readonly problems: readonly DeployProblem[] };

const { input, known } = workerData as BuildJob;

function post(message: BuildMessage, transfer: readonly TransferListItem[] = []): void {
  parentPort?.postMessage(message, transfer);
}

rememberCompressions(known);
const result = await buildArchive(input, (line) => post({ line }));
if ('problems' in result) post(result);
else {
  post({ known: rememberedCompressions() });
  for (const part of artifactParts(result.artifact)) {
    post({ part }, 'bytes' in part ? [part.bytes.buffer] : []);
    // It asks for the next, and gets to other things in between: of what waits it would take all at once.
    if (parentPort) await once(parentPort, 'message');
  }
}
