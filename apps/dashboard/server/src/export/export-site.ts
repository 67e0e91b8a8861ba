import type { Readable } from 'node:stream';
import type { Manifest } from '../deploys/artifact.ts';
import { packFiles } from '../deploys/local-files/pack-files.ts';
import { contentSource } from '../edge/sites/content-source.ts';
import { canonicalOf } from '../edge/sites/file-headers.ts';
import { type Content, fillTemplate } from '../edge/sites/forms.ts';
import { isPage } from '../edge/sites/manifest-paths.ts';
import { DEFAULT_LIMITS, SiteCache } from '../edge/sites/site-cache.ts';
import { templateOf } from '../edge/sites/site-files.ts';
import type { Site, SiteSource } from '../edge/sites/site-source.ts';
import { timedSource } from '../edge/store-reads.ts';
import { PagePaths } from '../edge/versions/path-sets.ts';
import { SiteEditions } from '../edge/versions/site-editions.ts';
import {
  type ExportedRedirect,
  nginxConf,
  redirectsFile,
  redirectsOf,
  versionRedirects,
} from './export-redirects.ts';
import { readme } from './readme.ts';
import { manifestOf, partsOf, type SitePart } from './site-parts.ts';

/** A file is read when those before it have been sent, so that a few of them are in memory at a time. */
const CONTENT_BYTES = 1_000_000;

/**
 * A site as files that any web server can serve, in a .tar.gz: each page as the edge serves it at `site.origin`, at
 * `PATH/index.html`, and all redirects in the forms that hosts read. The stream fails where the site is pruned
 * meanwhile.
 */
export function exportSite(source: SiteSource, site: Site): Readable {
  const cache = new SiteCache(timedSource(source), {
    ...DEFAULT_LIMITS,
    contentBytes: CONTENT_BYTES,
  });
  return packFiles(filesOf(cache, site));
}

type File = readonly [name: string, bytes: Uint8Array];

async function* filesOf(cache: SiteCache, site: Site): AsyncGenerator<File> {
  const editions = new SiteEditions(new PagePaths(cache));
  const host = new URL(site.origin).hostname;
  yield ['README.md', Buffer.from(readme(host))];
  const redirects: ExportedRedirect[] = [];
  const defaultVersion = site.only ? undefined : site.versions?.defaultVersion;
  for (const part of partsOf(site)) {
    const manifest = await manifestOf(cache, part);
    yield* partFiles({ cache, editions }, part, manifest);
    if (part.base === '' && defaultVersion !== undefined) {
      redirects.push(...versionRedirects(site, manifest));
      yield ['site/index.html', Buffer.from(refreshTo(`/${defaultVersion}`))];
    } else {
      redirects.push(...redirectsOf(part, manifest));
    }
  }
  if (defaultVersion === undefined) redirects.push(...versionRedirects(site, undefined));
  yield ['site/_redirects', Buffer.from(redirectsFile(redirects))];
  yield ['redirects.json', Buffer.from(`${JSON.stringify(redirects, null, 2)}\n`)];
  yield ['nginx.conf', Buffer.from(nginxConf(host, redirects))];
}

interface Reader {
  readonly cache: SiteCache;
  readonly editions: SiteEditions;
}

async function* partFiles(
  { cache, editions }: Reader,
  { site, base, has }: SitePart,
  manifest: Manifest,
): AsyncGenerator<File> {
  for (const [path, entry] of Object.entries(manifest.files)) {
    if (!has(path)) continue;
    const page = site.versions && canonicalOf(manifest, path, entry);
    const edition =
      site.versions && page !== undefined
        ? await editions.of(site, site.versions, page)
        : undefined;
    // Nobody counts there.
    const template = templateOf({ ...site, countsReaders: false }, path, entry, edition);
    const stored = await cache.content(contentSource(entry));
    const content = template
      ? // Compressed forms are for requests.
        (await fillTemplate(toBytes(stored), template, 0)).identity
      : stored;
    yield [`site${fileName(base + path, isPage(entry))}`, toBytes(content)];
  }
}

/** The file of a path: pages are at their path by the index of a folder, which every web server knows. */
function fileName(path: string, isPage: boolean): string {
  if (!isPage || path.endsWith('.html')) return path;
  return path.endsWith('/') ? `${path}index.html` : `${path}/index.html`;
}

/** A text has a character for each byte. */
const toBytes = (content: Content): Buffer =>
  typeof content === 'string' ? Buffer.from(content, 'latin1') : content;

/** For hosts without rules: the root leads to the default version. */
function refreshTo(path: string): string {
  return `<!doctype html><meta charset="utf-8"><title>…</title><meta http-equiv="refresh" content="0; url=${path}"><link rel="canonical" href="${path}"><a href="${path}">${path}</a>\n`;
}
