import { parentPort, type TransferListItem, workerData } from 'node:worker_threads';
import type { Artifact, BuildInput, BuildLog, BuildResult } from '../artifact.ts';
import { buildArchive } from './archive-build.ts';
import { rememberCompressions, rememberedCompressions } from './artifact.ts';
import type { KnownCompressions } from './compress.ts';

// A thread that builds one site and ends, in the middle if it must.

export interface BuildJob {
  readonly input: BuildInput;
  /** What earlier builds compressed. */
  readonly known: KnownCompressions;
}

export type BuildMessage =
  | { readonly line: Parameters<BuildLog>[0] }
  | { readonly result: BuildResult; readonly known: KnownCompressions };

const { input, known } = workerData as BuildJob;

function post(message: BuildMessage, transfer: readonly TransferListItem[] = []): void {
  parentPort?.postMessage(message, transfer);
}

/** What is handed over and not copied: but what others know too must stay theirs. */
function ownMemory({ blobs }: Artifact): ArrayBuffer[] {
  const shared = new Set(
    [...rememberedCompressions().values()].flatMap((compressed) => Object.values(compressed)),
  );
  return [...blobs.values()]
    .filter((blob) => !shared.has(blob) && blob.byteLength === blob.buffer.byteLength)
    .map(({ buffer }) => buffer)
    .filter((buffer) => buffer instanceof ArrayBuffer);
}

rememberCompressions(known);
const result = await buildArchive(input, (line) => post({ line }));
post(
  { result, known: rememberedCompressions() },
  'artifact' in result ? [...new Set(ownMemory(result.artifact))] : [],
);
