import { count } from '@petstore/service/text.ts';
import { type BuildLog, boundedLog } from '@petstore/site/build-log.ts';
import type { LiveManifest } from '../store/artifacts.ts';
import type { Manifest } from './artifact.ts';
import { isRedirected } from './redirects.ts';

/**
 * `16 files changed, 32 unchanged, compared with deploy #4`, which is live, or is what the version shows; `48 files, …`
 * where none is.
 */
export function describeFileChanges(
  live: LiveManifest | undefined,
  { files }: Manifest,
  version: string | null,
): string {
  const paths = Object.keys(files);
  const whole = version === null ? 'this project' : `the version ${version}`;
  if (!live) return `${count(paths.length, 'file')}, the first of ${whole}`;
  const before = live.manifest.files;
  const isThere = (path: string) => Object.hasOwn(before, path);
  const same = paths.filter((path) => isThere(path) && before[path]?.hash === files[path]?.hash);
  const added = paths.filter((path) => !isThere(path)).length;
  const removed = Object.keys(before).filter((path) => !Object.hasOwn(files, path)).length;
  return [
    `${count(paths.length - same.length - added, 'file')} changed`,
    ...(added > 0 ? [`${added} added`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
    `${same.length} unchanged, compared with deploy #${live.number}`,
  ].join(', ');
}

/** Warns of pages that are live and would be gone, each with the redirect to add. */
export function warnOfGonePages(live: Manifest, next: Manifest, log: BuildLog): void {
  const pages = pagesOf(next);
  const isPage = new Set(pages);
  const moved = Map.groupBy(pages, lastSegment);
  const bounded = boundedLog(log);
  for (const path of pagesOf(live)) {
    if (isPage.has(path) || isRedirected(next, path)) continue;
    // An operation under another tag, a guide in another folder.
    const [now, another] = moved.get(lastSegment(path)) ?? [];
    const target = now !== undefined && another === undefined ? now : '/…';
    bounded.log({
      rule: 'gone-page',
      message: `\`${path}\` is live, and this deploy has no such page. Where it has moved, say so under \`redirects\` of docs.yaml: \`${path}: ${target}\`.`,
      ...{ file: '', path: '', line: null },
    });
  }
  bounded.end();
}

/** The paths of pages, as their addresses are without a host. */
export function pagesOf({ files }: Manifest): string[] {
  return Object.entries(files).flatMap(([path, { type }]) =>
    type.startsWith('text/html') && path !== '/404.html' && !path.startsWith('/_') ? [path] : [],
  );
}

const lastSegment = (path: string) => path.slice(path.lastIndexOf('/') + 1);
