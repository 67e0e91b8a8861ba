import type { LivePage, PreviewBar } from '@petstore/site/site/preview-bar.ts';
import type { PagePaths, PathSet } from '../versions/path-sets.ts';
import { addressIn } from '../versions/site-editions.ts';
import { NOT_FOUND_PAGE } from './prepared-file.ts';
import type { MaybePromise } from './site-cache.ts';
import type { LiveSite, NotLive } from './site-source.ts';

/** What a page of a preview says, by its path. Rejects as the cache does. */
export function previewBarOf(
  paths: PagePaths,
  notLive: NotLive,
  path: string,
): MaybePromise<PreviewBar> {
  const { live } = notLive;
  if (!live) return { ...notLive, live: undefined };
  const withPaths = (read: PathSet): PreviewBar => ({
    ...notLive,
    live: livePage(live, read, path),
  });
  const known = paths.known(live.artifactHash);
  return known ? withPaths(known) : paths.read(live.artifactHash).then(withPaths);
}

function livePage({ origin, base }: LiveSite, paths: PathSet, path: string): LivePage {
  const at = (shown: string) => origin + addressIn(base, shown);
  // One page for all paths that the preview does not have. The live site may have them.
  if (path === NOT_FOUND_PAGE) return { href: at('/'), is: 'start' };
  return paths.has(path) ? { href: at(path), is: 'same' } : { href: at('/'), is: 'missing' };
}
