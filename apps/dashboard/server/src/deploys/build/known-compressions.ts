import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Coding } from '../artifact.ts';
import type { Compressed } from './compress.ts';

// Every site has the same scripts and styles, of which the largest takes half a second to compress: once for all
// builds, in whatever process they are.

const CODINGS: readonly Coding[] = ['br', 'gzip'];

let folder: string | undefined;

/** Says in which folder builds share what they compressed. Until then each build compresses for itself. */
export function shareCompressions(path: string): void {
  folder = path;
}

/** The compressed forms of a content that an earlier build has noted. */
export async function knownCompression(contentHash: string): Promise<Compressed | undefined> {
  if (folder === undefined) return undefined;
  const made = join(folder, contentHash);
  const forms = await Promise.all(
    CODINGS.map((coding) => readFile(`${made}.${coding}`).catch(() => undefined)),
  );
  // One that is being noted is not known yet; neither is one that no form makes smaller, which is compressed soon.
  if (forms.includes(undefined)) return undefined;
  return Object.fromEntries(CODINGS.map((coding, at) => [coding, forms[at]])) as Compressed;
}

/** Notes what was compressed for later builds. */
export async function noteCompression(contentHash: string, compressed: Compressed): Promise<void> {
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const coding of CODINGS) {
    const bytes = compressed[coding];
    if (!bytes) continue;
    const path = join(folder, `${contentHash}.${coding}`);
    // Whole or not at all: other builds read meanwhile.
    await writeFile(`${path}.${process.pid}`, bytes, { mode: 0o600 });
    await rename(`${path}.${process.pid}`, path);
  }
}
