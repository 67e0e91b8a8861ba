import { findLiveManifest } from '../store/artifacts.ts';
import type { Db } from '../store/open-database.ts';
import type { Manifest } from './artifact.ts';

/** `16 files changed, 32 unchanged, compared with deploy #4`, which is live; `48 new files` where none is. */
export async function filesInWords(
  db: Db,
  projectId: string,
  { files }: Manifest,
): Promise<string> {
  const live = await findLiveManifest(db, projectId);
  const paths = Object.keys(files);
  if (!live) return `${count(paths.length)}, the first of this project`;
  const before = live.manifest.files;
  const isThere = (path: string) => Object.hasOwn(before, path);
  const same = paths.filter((path) => isThere(path) && before[path]?.hash === files[path]?.hash);
  const added = paths.filter((path) => !isThere(path)).length;
  const removed = Object.keys(before).filter((path) => !Object.hasOwn(files, path)).length;
  return [
    `${count(paths.length - same.length - added)} changed`,
    ...(added > 0 ? [`${added} added`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
    `${same.length} unchanged, compared with deploy #${live.number}`,
  ].join(', ');
}

const count = (files: number) => `${files} file${files === 1 ? '' : 's'}`;
