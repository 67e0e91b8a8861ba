import { mkdirSync, writeFileSync } from 'node:fs';
import { ArtifactMaker } from '../../../apps/dashboard/server/src/deploys/build/artifact/artifact-maker.ts';
import { filePacker } from '../../../apps/dashboard/server/src/deploys/build/artifact/pack-files.ts';
import type { SiteFile } from '../../../packages/site/src/site/site-files.ts';

/** Scripts and styles in the page are what these pages are made of. */
const POLICY =
  "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' data: blob:";

/** Writes the files of a host, compressed as the product compresses those of its sites. */
export async function writeSite(folder: string, host: string, files: SiteFile[]): Promise<void> {
  const site = { title: host, files, contentSecurityPolicy: POLICY };
  mkdirSync(folder, { recursive: true });
  const pack = filePacker((hash, bytes) => writeFileSync(`${folder}/${hash}`, bytes));
  const { manifest } = await new ArtifactMaker(pack).finish(site, () => undefined);
  writeFileSync(manifestPath(folder, host), JSON.stringify(manifest));
}

export function manifestPath(folder: string, host: string): string {
  return `${folder}/${host}.json`;
}
