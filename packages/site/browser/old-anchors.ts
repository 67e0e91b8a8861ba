import { decodeUri } from '../src/syntax/decode-uri.ts';
import { addressOf, fragmentTarget } from './dom.ts';

/** Fragments of the time when the whole reference was one page. */
const OLD = /^#(?:tag|model|webhook|[A-Z]+)\//;

/** Leads from an old address, such as `/reference#tag/pets/GET/pets`, to the page that it means now. */
export async function followOldAnchor(): Promise<void> {
  const { hash } = location;
  if (!OLD.test(hash) || fragmentTarget(hash)) return;
  const response = await fetch(addressOf('/_site/anchors.json')).catch(() => undefined);
  if (!response?.ok) return;
  const anchors: Record<string, string> = await response.json();
  const path = [hash.slice(1), decodeUri(hash.slice(1))].find((key) => Object.hasOwn(anchors, key));
  // Meanwhile the reader may have gone elsewhere.
  if (path !== undefined && location.hash === hash)
    location.replace(addressOf(anchors[path] ?? '/'));
}
