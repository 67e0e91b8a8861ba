import type { PreviewBar } from '@petstore/site/site/preview-bar.ts';
import { LRUCache } from 'lru-cache';
import type { Manifest, ManifestEntry } from '../../deploys/artifact.ts';
import type { Redirect } from '../../deploys/redirects.ts';
import type { CanonicalHost } from '../host.ts';
import { prefersMarkdown } from '../http/accept.ts';
import { PagePaths } from '../versions/path-sets.ts';
import { type PageEdition, SiteEditions } from '../versions/site-editions.ts';
import { type ContentSource, contentSource, templateKey } from './content-source.ts';
import { canonicalOf, type ServedFile } from './file-headers.ts';
import {
  type Content,
  type Form,
  type Forms,
  type FormsOf,
  isMoved,
  type Template,
} from './forms.ts';
import { fileAt, isPage, markdownOf, redirectOf } from './manifest-paths.ts';
import { type FileForm, NOT_FOUND_PAGE, type PreparedFile, prepareFile } from './prepared-file.ts';
import { previewBarOf } from './preview-bar-of.ts';
import type { MaybePromise, SiteCache } from './site-cache.ts';
import type { Site, SiteVersions } from './site-source.ts';

/** Memory for all prepared files together, and for one of them: mostly its headers. */
const MAX_PREPARED_BYTES = 32_000_000;
const PREPARED_BYTES = 6_000;

/** Behind a host and path: the Markdown of the page there. No path has a NUL. */
const MARKDOWN = '\0md';

/** The result of looking up a path on a site. */
export type FoundResource =
  | FoundFile
  /** A text of the edge's own. */
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'redirect' } & Redirect)
  | { readonly kind: 'notFound' };

export interface FoundFile {
  readonly kind: 'file';
  readonly file: PreparedFile;
}

const NOT_FOUND: FoundResource = { kind: 'notFound' };
const NOINDEX_ROBOTS: FoundResource = { kind: 'text', text: 'User-agent: *\nDisallow: /' };

/** Finds the files of sites, and caches each prepared file. `accept`: the header of a request, which may want Markdown. */
export class SiteFiles {
  readonly #cache: SiteCache;
  readonly #paths: PagePaths;
  readonly #editions: SiteEditions;
  readonly #prepared = new LRUCache<string, FoundFile>({ maxSize: MAX_PREPARED_BYTES });

  constructor(cache: SiteCache) {
    this.#cache = cache;
    this.#paths = new PagePaths(cache);
    this.#editions = new SiteEditions(this.#paths);
  }

  /** The file prepared for a host and path, as long as the host has the same site. */
  cached(
    host: CanonicalHost,
    site: Site,
    path: string,
    accept: string | undefined,
  ): FoundFile | undefined {
    // A host has no slash and a path begins with one, so the key is unambiguous.
    const prepared = this.#prepared.get(host + path);
    if (prepared?.file.site !== site) return undefined;
    if (!prepared.file.hasMarkdown || !prefersMarkdown(accept)) return prepared;
    const markdown = this.#prepared.get(host + path + MARKDOWN);
    return markdown?.file.site === site ? markdown : undefined;
  }

  /**
   * The prepared file of a path; otherwise the result of the site's manifest, and where the manifest has nothing, the
   * site's not-found page. Rejects as the cache does.
   */
  find(
    host: CanonicalHost,
    site: Site,
    path: string,
    accept: string | undefined,
  ): MaybePromise<FoundResource> {
    const prepared = this.cached(host, site.whole ?? site, keyPath(site, path), accept);
    if (prepared) return prepared;
    if (site.isPreview && path === '/robots.txt') return NOINDEX_ROBOTS;
    const manifest = this.#cache.manifest(site.artifactHash);
    return manifest instanceof Promise
      ? manifest.then((read) => this.#findIn(host, site, read, path, accept))
      : this.#findIn(host, site, manifest, path, accept);
  }

  #findIn(
    host: CanonicalHost,
    site: Site,
    manifest: Manifest,
    path: string,
    accept: string | undefined,
  ): MaybePromise<FoundResource> {
    const entry = fileAt(manifest, path);
    if (entry) {
      const page = this.#prepare(host, site, manifest, { path, filePath: path, entry });
      const filePath = prefersMarkdown(accept) ? markdownOf(manifest, path) : undefined;
      const markdown = filePath === undefined ? undefined : fileAt(manifest, filePath);
      if (filePath === undefined || !markdown) return page;
      // The page is prepared all the same: `cached` asks it whether there is Markdown.
      const prepare = () =>
        this.#prepare(host, site, manifest, { path, filePath, entry: markdown });
      return page instanceof Promise ? page.then(prepare) : prepare();
    }
    const redirect = redirectOf(manifest, path);
    if (redirect) return { kind: 'redirect', ...redirect, to: moved(site, redirect.to) };
    return fileAt(manifest, NOT_FOUND_PAGE)
      ? this.find(host, site, NOT_FOUND_PAGE, undefined)
      : NOT_FOUND;
  }

  #prepare(
    host: CanonicalHost,
    site: Site,
    manifest: Manifest,
    file: ServedFile,
  ): MaybePromise<FoundResource> {
    const annotations = this.#annotationsOf(site, manifest, file);
    const prepare = (read: PageAnnotations) => this.#prepareWith(host, site, manifest, file, read);
    return annotations instanceof Promise ? annotations.then(prepare) : prepare(annotations);
  }

  #annotationsOf(site: Site, manifest: Manifest, file: ServedFile): MaybePromise<PageAnnotations> {
    const { versions, notLive } = site;
    // A preview shows one deploy, without the versions of its site.
    if (notLive && isOfReaders(file.filePath, file.entry)) {
      const previewBar = previewBarOf(this.#paths, notLive, file.path);
      return previewBar instanceof Promise
        ? previewBar.then((read) => ({ previewBar: read }))
        : { previewBar };
    }
    const page = versions && canonicalOf(manifest, file.path, file.entry);
    if (page === undefined) return {};
    const edition = this.#editions.of(site, versions as SiteVersions, page);
    return edition instanceof Promise ? edition.then((read) => ({ edition: read })) : { edition };
  }

  #prepareWith(
    host: CanonicalHost,
    site: Site,
    manifest: Manifest,
    file: ServedFile,
    { edition, previewBar }: PageAnnotations,
  ): MaybePromise<FoundResource> {
    const keep = (forms: FormsOf<FileForm>): FoundResource => {
      const prepared = prepareFile(site, manifest, file, forms, edition);
      const found = { kind: 'file', file: prepared } as const;
      const key = host + keyPath(site, file.path) + (file.filePath === file.path ? '' : MARKDOWN);
      this.#prepared.set(key, found, { size: PREPARED_BYTES });
      return found;
    };
    const template = templateOf(site, file.filePath, file.entry, edition, previewBar);
    if (!template) return keep(blobForms(file.entry));
    const source = contentSource(file.entry);
    const forms = this.#cache.template(source, template);
    return forms instanceof Promise
      ? forms.then((filled) => keep(templateForms(source, template, filled)))
      : keep(templateForms(source, template, forms));
  }
}

/** What the edge adds to a page: links to its other versions, or the bar of a preview. */
interface PageAnnotations {
  readonly edition?: PageEdition;
  readonly previewBar?: PreviewBar;
}

/** A page that people read: others are frames, and windows that close. */
const isOfReaders = (path: string, entry: ManifestEntry): boolean =>
  isPage(entry) && !path.startsWith('/_');

/** The path by which a file is asked for: in a version of a site behind its prefix. */
const keyPath = ({ base }: Site, path: string): string => {
  if (base === undefined) return path;
  return path === '/' ? base : base + path;
};

/** Where a redirect of a site leads in a version of it. */
export function moved({ base }: Site, to: string): string {
  if (base === undefined || !to.startsWith('/')) return to;
  return base + to.replace(/^\/(?=$|[?#])/, '');
}

/** What becomes of a file when it is served; undefined: nothing. */
export function templateOf(
  { origin, base, countsReaders, analytics }: Site,
  path: string,
  entry: ManifestEntry,
  edition: PageEdition | undefined,
  previewBar?: PreviewBar,
): Template | undefined {
  const { type, template } = entry;
  const isRead = isOfReaders(path, entry);
  const versions = edition && isPage(entry) ? edition.versions : undefined;
  const isOther = base !== undefined && (template || isMoved(type));
  const own = isRead && analytics !== undefined;
  const isWithoutReaders = isRead && countsReaders === false;
  const isAsStored = !template && !isOther && !versions && !own && !isWithoutReaders;
  if (isAsStored && !previewBar) return undefined;
  return {
    ...{ type, origin: template ? origin : undefined },
    ...(isOther && { base }),
    ...(versions && { versions }),
    ...(isWithoutReaders && { isWithoutReaders }),
    ...(own && { analytics }),
    ...(previewBar && { previewBar }),
  };
}

function blobForms(entry: ManifestEntry): FormsOf<FileForm> {
  const { br, gzip } = entry.codings ?? {};
  const form = ({ hash, size }: { hash: string; size: number }): FileForm => ({
    source: { key: hash, hash, form: 'identity' },
    size,
  });
  return {
    identity: { source: contentSource(entry), size: entry.size },
    ...(br && { br: form(br) }),
    ...(gzip && { gzip: form(gzip) }),
  };
}

function templateForms(
  { hash, packed }: ContentSource,
  template: Template,
  { identity, br, gzip }: Forms,
): FormsOf<FileForm> {
  const key = templateKey(hash, template);
  const made = (form: Form, { length }: Content): FileForm => ({
    source: { key, hash, form, template, packed },
    size: length,
  });
  return {
    identity: made('identity', identity),
    ...(br && { br: made('br', br) }),
    ...(gzip && { gzip: made('gzip', gzip) }),
  };
}
