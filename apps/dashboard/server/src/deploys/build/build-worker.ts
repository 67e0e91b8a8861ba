import { on } from 'node:events';
import { parentPort, type TransferListItem } from 'node:worker_threads';
import type { BuildInput, BuildLog, DeployProblem } from '../artifact.ts';
import { buildArchive } from './archive-build.ts';
import { rememberCompressions, rememberedCompressions } from './artifact.ts';
import type { KnownCompressions } from './compress.ts';
import { type ArtifactPart, artifactParts, isLast } from './handover.ts';

// A thread that builds sites, one after the other, until it is ended; in the middle of one, if it must.

export interface BuildJob {
  readonly input: BuildInput;
  /** What earlier builds compressed. */
  readonly known: KnownCompressions;
}

/** `next` asks for the next part of an artifact. */
export type ToBuildThread = BuildJob | 'next';

/** The last of a build is its problems, or the part that ends its artifact. */
export type BuildMessage =
  | { readonly line: Parameters<BuildLog>[0] }
  | { readonly known: KnownCompressions }
  | { readonly part: ArtifactPart }
  | { readonly problems: readonly DeployProblem[] };

const port = parentPort;
if (!port) throw new Error('build-worker.ts runs as a worker');
// An iterator, since it keeps what comes while nobody waits.
const messages = on(port, 'message');

for (;;) {
  const job = await nextMessage();
  if (typeof job === 'object') await build(job);
}

async function build({ input, known }: BuildJob): Promise<void> {
  rememberCompressions(known);
  const result = await buildArchive(input, (line) => post({ line }));
  if ('problems' in result) return post(result);
  post({ known: rememberedCompressions() });
  for (const part of artifactParts(result.artifact)) {
    post({ part }, 'bytes' in part ? [part.bytes.buffer] : []);
    // It asks for the next, and gets to other things in between: of what waits it would take all at once.
    if (!isLast(part)) await nextMessage();
  }
}

async function nextMessage(): Promise<ToBuildThread> {
  const { value } = await messages.next();
  return value?.[0];
}

function post(message: BuildMessage, transfer: readonly TransferListItem[] = []): void {
  port?.postMessage(message, transfer);
}
