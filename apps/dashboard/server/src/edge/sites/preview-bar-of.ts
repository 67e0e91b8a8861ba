import type { LivePage, PreviewBar } from '@petstore/site/site/preview-bar.ts';
import type { PagePlaces, Places } from '../versions/page-places.ts';
import { addressIn } from '../versions/site-editions.ts';
import { NOT_FOUND_PAGE } from './prepared-file.ts';
import type { MaybePromise } from './site-cache.ts';
import type { LiveSite, NotLive } from './site-source.ts';

/** What a page of a preview says, by its path. Rejects as the cache does. */
export function previewBarOf(
  places: PagePlaces,
  notLive: NotLive,
  path: string,
): MaybePromise<PreviewBar> {
  const { live } = notLive;
  if (!live) return { ...notLive, live: undefined };
  const withPlaces = (read: Places): PreviewBar => ({
    ...notLive,
    live: livePage(live, read, path),
  });
  const known = places.known(live.artifactHash);
  return known ? withPlaces(known) : places.read(live.artifactHash).then(withPlaces);
}

function livePage({ origin, base }: LiveSite, places: Places, path: string): LivePage {
  const at = (shown: string) => origin + addressIn(base, shown);
  // One page for all paths that the preview does not have. The live site may have them.
  if (path === NOT_FOUND_PAGE) return { href: at('/'), is: 'start' };
  return places.has(path) ? { href: at(path), is: 'same' } : { href: at('/'), is: 'missing' };
}
