import { appendFileSync, copyFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { BenchError } from '../failure.ts';
import type { DashboardUnderTest } from '../sites/dashboard.ts';
import { writeManyPages } from './many-pages.ts';

/** A folder as it was deployed with the command. */
export interface DeployedFolder {
  readonly name: string;
  readonly files: number;
  /** From the start of the command to its end, when the site is live: packing, upload, build and storing. */
  readonly seconds: number;
  /** Of that the build and storing. */
  readonly built: number;
  readonly peakMiB: number;
}

interface Folder {
  readonly name: string;
  /** Guides, their images and the configuration. */
  readonly files: number;
  /** The path of a document that the folder has besides. */
  readonly document?: string | undefined;
}

/** How many guides stand beside a document. */
const GUIDES = 500;

/** A folder of guides alone, and one with a large document, which is GitHub's where there is one. */
export function largeFolders(files: number, document: string | undefined): readonly Folder[] {
  return [
    { name: 'guides', files },
    ...(document === undefined
      ? []
      : [{ name: "GitHub's document and guides", files: GUIDES, document }]),
  ];
}

/** Deploys a folder, then the same again, and then with one guide changed. */
export async function deployFolder(
  dashboard: DashboardUnderTest,
  { name, files, document }: Folder,
  path: string,
): Promise<DeployedFolder[]> {
  const config = document === undefined ? undefined : `openapi${extname(document)}`;
  const page = writeManyPages(path, files, config);
  if (document !== undefined && config !== undefined) copyFileSync(document, join(path, config));
  const slug = `folder-${files}`;
  await dashboard.createProject(slug);
  const deploy = async (what: string): Promise<DeployedFolder> => {
    const begun = performance.now();
    const { deploy, peakMiB } = await dashboard.deployFile(slug, path);
    const seconds = (performance.now() - begun) / 1_000;
    const [first] = deploy.errors;
    if (first) throw new BenchError(`${name}, ${what}: ${first.message}`);
    const built =
      (Date.parse(deploy.finishedAt ?? '') - Date.parse(deploy.startedAt ?? '')) / 1_000;
    console.log(`${name}, ${what}: ${seconds.toFixed(1)} s`);
    return { name: `${name}, ${what}`, files, seconds, built, peakMiB };
  };
  const first = await deploy('first');
  const again = await deploy('unchanged');
  appendFileSync(join(path, page), '\nOne more sentence.\n');
  return [first, again, await deploy('one guide changed')];
}
