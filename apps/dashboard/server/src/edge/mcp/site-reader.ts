import type { LRUCache } from 'lru-cache';
import type { Manifest, ManifestEntry } from '../../deploys/artifact.ts';
import { contentSource } from '../sites/content-source.ts';
import type { Content } from '../sites/forms.ts';
import { fileAt } from '../sites/manifest-paths.ts';
import type { SiteCache } from '../sites/site-cache.ts';
import type { Site } from '../sites/site-source.ts';
import { addressIn } from '../versions/site-editions.ts';

/** The files of a site, as the tools read them. Reads reject as the cache does. */
export interface SiteReader {
  readonly site: Site;
  readonly manifest: Manifest;
  /** The whole address of a path. */
  addressOf(path: string): string;
  /** The content of a file; undefined where the site has none at the path. */
  bytes(path: string): Promise<Buffer | undefined>;
  /** What `make` makes of a file, which is kept in memory while there is room. `size`: its bytes there. */
  derived<T extends object>(
    path: string,
    make: (bytes: Buffer) => T | Promise<T>,
    size: (value: T, bytes: Buffer) => number,
  ): Promise<T | undefined>;
}

/** Values made of files, by the hash of the content and by what made them. */
export type Derived = LRUCache<string, object>;

export function siteReader(
  cache: SiteCache,
  derivedValues: Derived,
  site: Site,
  manifest: Manifest,
): SiteReader {
  const read = async (entry: ManifestEntry): Promise<Buffer> => {
    const source = contentSource(entry);
    if (!entry.template) return toBuffer(await cache.content(source));
    const forms = await cache.template(source, {
      ...{ origin: site.origin, base: site.base, type: entry.type },
    });
    return toBuffer(forms.identity);
  };
  return {
    site,
    manifest,
    addressOf: (path) => site.origin + addressIn(site.base, path),
    async bytes(path) {
      const entry = fileAt(manifest, path);
      return entry && read(entry);
    },
    async derived(path, make, size) {
      const entry = fileAt(manifest, path);
      if (!entry) return undefined;
      const key = `${make.name} ${entry.hash}`;
      const known = derivedValues.get(key) as ReturnType<typeof make> | undefined;
      if (known !== undefined) return known;
      const bytes = await read(entry);
      const made = await make(bytes);
      derivedValues.set(key, made, { size: Math.max(1, size(made, bytes)) });
      return made;
    },
  };
}

/** What the addresses of a site begin with: in a version of it with the prefix. */
export const rootOf = ({ origin, base = '' }: Site): string => origin + base;

const toBuffer = (content: Content): Buffer =>
  typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
