import { didYouMeanOfMany } from '@petstore/service/nearest.ts';
import { type BuildLog, type BuildProblem, problemOf, type SourceFiles } from '../build-log.ts';
import { EMPTY_CHANGELOG } from '../changelog/changelog.ts';
import { writtenChangelog } from '../changelog/changelog-files.ts';
import { CHANGELOG } from '../changelog/changelog-paths.ts';
import {
  type ChangelogFiles,
  type ChangelogNote,
  changelogFiles,
  shownNotes,
} from '../changelog/notes.ts';
import { siteChangelog } from '../changelog/site-changelog.ts';
import { REFERENCE_LIST, REFERENCE_PATH } from '../reference/addresses.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { isListed, referenceListFiles } from '../reference/reference-list.ts';
import { type SourceLinks, sourceLinks } from '../repository/source-links.ts';
import { connectOrigins } from '../request/connect-origins.ts';
import { allFiles } from '../site/all-files.ts';
import { siteAssets } from '../site/assets.ts';
import type { SiteFrame, SiteLink } from '../site/frame.ts';
import { iconRules } from '../site/icons/icons.ts';
import { diagramFiles } from '../site/mermaid.ts';
import { iconsOf, pagesIn } from '../site/navigation.ts';
import type { SourceLink } from '../site/page-layout.ts';
import { sitePolicy } from '../site/policy.ts';
import { sitePreviews } from '../site/preview/site-previews.ts';
import type { Publication } from '../site/publication.ts';
import { type BuiltSite, hrefOf, markdownPath, type SiteFile, TYPES } from '../site/site-files.ts';
import { type Theme, themeFiles } from '../site/theme.ts';
import { type ConfigTab, pagesOf } from './config-navigation.ts';
import type { DocsConfig } from './docs-config.ts';
import { guideFiles, notFoundFile } from './guide-page.ts';
import { brokenLinks, referenceTargets } from './links/anchors.ts';
import {
  isImage,
  isNotFoundPage,
  isPage,
  mediaType,
  pagePath,
  pathConflicts,
  reservedPaths,
} from './links/site-paths.ts';
import { ownStyle } from './own-style.ts';
import { readFrontMatter, withoutFrontMatter } from './render/front-matter.ts';
import type { PageCache } from './render/page-cache.ts';
import type { RenderedPage } from './render/render-page.ts';
import { renderPages } from './render/render-pages.ts';
import { renderTime } from './render/render-time.ts';
import { builtRedirects } from './site-redirects.ts';
import { siteTabs } from './site-tabs.ts';
import { unknownVariables, withVariables } from './variables.ts';

export interface Guides {
  readonly files: SourceFiles;
  readonly config: DocsConfig;
  /** The references of its documents, in the order of the configuration. */
  readonly references: readonly ReferenceContext[];
  readonly changelog: GuidesChangelog;
}

/** What a folder has of a changelog, and whether its site will have one. */
export interface GuidesChangelog extends ChangelogFiles {
  readonly isShown: boolean;
}

export function guidesChangelog(
  { files, config }: Pick<Guides, 'files' | 'config'>,
  { changelog = EMPTY_CHANGELOG, now }: Pick<Publication, 'changelog' | 'now'>,
): GuidesChangelog {
  const own = publishable({ files, config });
  const found = changelogFiles(config, own, now);
  const isHidden = (file: string) =>
    readFrontMatter(new TextDecoder().decode(own.get(file))).settings.isHidden;
  const hasNotes = [...found.notes.keys()].some((file) => found.hasCome(file) && !isHidden(file));
  const isShown =
    found.off === undefined &&
    (config.changelog === true || hasNotes || changelog.entries.length > 0);
  return { ...found, isShown };
}

/** Where the introduction of an archive's reference is: at its root where there are no guides. */
export function overviewPath(files: SourceFiles, { notes }: GuidesChangelog): string {
  const hasPages = [...files.keys()].some(
    (file) => isPage(file) && !isNotFoundPage(file) && !notes.has(file),
  );
  return hasPages ? REFERENCE_PATH : '/';
}

/** The images of an archive, which descriptions may show. */
export function imagesOf(files: SourceFiles): ReadonlySet<string> {
  return new Set([...files.keys()].filter(isImage));
}

/** The paths of an archive's pages and images, to which descriptions may link. */
export function pathsOf(
  files: SourceFiles,
  { notes, isShown }: GuidesChangelog,
): ReadonlySet<string> {
  const shown = [...files.keys()].filter(
    (file) => (isPage(file) && !notes.has(file)) || isImage(file),
  );
  return new Set([
    ...shown.map((file) => (isPage(file) ? pagePath(file, files) : `/${file}`)),
    ...(isShown ? [CHANGELOG.path] : []),
  ]);
}

/** A site without the files that are published as they are. */
function publishable({ files, config }: Pick<Guides, 'files' | 'config'>): SourceFiles {
  const own = new Set([
    config.file,
    ...config.references.flatMap(({ file, overlays }) => [file, ...overlays]),
  ]);
  const all = new Map([...files].filter(([path]) => !own.has(path)));
  return withVariables(all, config.variables);
}

/**
 * Renders the pages of an archive, and finds all problems in them. The references are `unknown` where a document cannot
 * be read: links to them are then not checked.
 */
export async function guidePages(
  {
    files,
    config,
    references,
    changelog,
  }: Omit<Guides, 'references'> & { references: Guides['references'] | 'unknown' },
  log: BuildLog,
  /** What the whole build may take, in seconds, and the pages of an earlier one. */
  {
    buildSeconds,
    cache,
  }: { readonly buildSeconds: number; readonly cache?: PageCache | undefined },
): Promise<{
  readonly pages: readonly RenderedPage[];
  readonly problems: readonly BuildProblem[];
}> {
  const own = publishable({ files, config });
  log({ message: 'Rendering the pages.' });
  const isUnknown = references === 'unknown';
  const targets = isUnknown
    ? references
    : references.map(({ checked, addresses }) => referenceTargets(checked, addresses));
  // The configuration may be wrong about which document is meant.
  const named = isUnknown && config.references.length === 0 ? [{}] : config.references;
  const ownPaths = changelog.isShown ? [CHANGELOG.path, CHANGELOG.atom, CHANGELOG.json] : [];
  const { pages, problems } = await renderPages(
    own,
    {
      files: new Set(own.keys()),
      references: targets,
      sitePaths: new Set([...reservedPaths(named), ...ownPaths]),
      notes: changelog.notes,
      redirects: config.redirects,
    },
    { time: renderTime(buildSeconds), log, cache },
  );
  const generated = [
    ...(targets === 'unknown' ? [] : targets.flatMap((one) => [...one.paths])),
    ...(isUnknown || named.length === 0 ? [] : [REFERENCE_PATH]),
    ...(changelog.isShown ? [CHANGELOG.path] : []),
  ];
  const taken = pathConflicts(
    own,
    new Set([
      ...reservedPaths(isUnknown ? [] : named),
      ...ownPaths,
      ...generated.flatMap((path) => [path, markdownPath(path)]),
    ]),
  );
  const style = config.css === undefined ? undefined : await ownStyle(own, config.css);
  const wrong = [...taken, ...problems, ...(style?.problems ?? [])];
  const broken = brokenLinks(pages, changelog);
  if (config.onBrokenLinks === 'fail') wrong.push(...broken);
  else
    for (const { message, path: file, line } of broken.sort(byPlace))
      log({ rule: 'link', message, file, path: '', line });
  const shown = pages.filter(
    ({ file }) => !changelog.notes.has(file) || (changelog.isShown && changelog.hasCome(file)),
  );
  if (shown.length === 0 && references.length === 0 && wrong.length === 0)
    wrong.push(noPages(config));
  return { pages, problems: firstProblems(wrong.sort(byPlace)) };
}

/** Makes the site of an archive without problems from its pages. */
export async function guidesSite(
  guides: Guides,
  rendered: readonly RenderedPage[],
  log: BuildLog,
  { origin, dates, limits, repository, changelog: api = EMPTY_CHANGELOG }: Publication = {},
): Promise<BuiltSite> {
  const { config, references, changelog: found } = guides;
  const files = publishable(guides);
  const style = config.css === undefined ? undefined : await ownStyle(files, config.css);
  const pages = rendered.filter(({ file }) => !isNotFoundPage(file) && !found.notes.has(file));
  const notes = shownNotes(rendered, found);
  const missing = rendered.find(({ file }) => isNotFoundPage(file));
  warn(config, rendered, found.notes, log);
  for (const one of [...found.findings, ...notes.findings]) log({ ...one, path: '', line: 1 });
  if (found.off === 'taken' && (references.length > 0 || config.changelog === true))
    log({ message: TAKEN });
  for (const found of unknownVariables(files, config.variables, didYouMeanOfMany())) log(found);
  log({ message: `Rendered ${rendered.length} pages.` });

  const hidden = hiddenPages(config, pages);
  const shown = pages.filter((page) => !hidden.has(page));
  const tabs = siteTabs(config, shown, references);
  const isTabbed = tabs.some((tab) => tab.title !== undefined);
  const first = tabs.flatMap(({ entries }) => pagesIn(entries))[0] ?? shown[0] ?? pages[0];
  const start = pages.find(({ path }) => path === first?.path);
  const { title, color } = config;
  const source = sourceLinks(config.source, repository);
  if (source.missing !== undefined)
    log({
      message: `The pages do not lead to their files, since ${source.missing} in ${config.file}.`,
    });
  const description = start?.description ?? '';
  const frame: SiteFrame = {
    title,
    logo: config.logo,
    favicon: config.favicon,
    links: isTabbed
      ? []
      : [...(start ? [{ title: 'Guides', path: '/' }] : []), ...referenceLinks(references)],
    tabs,
    references,
    assets: await siteAssets(),
    theme: themeFiles({
      ...themeOf(guides),
      iconRules: iconRules([
        ...iconsOf(tabs),
        ...rendered.flatMap(({ links }) => [...links.icons]),
      ]),
      ownStyle: style?.content,
    }),
    previews:
      origin === undefined ? undefined : sitePreviews({ origin, title, description, color }),
    isServedByApi: false,
    hasFeedback: config.feedback,
    source,
    announcement: config.announcement,
    headerLinks: config.links.header,
    footerLinks: config.links.footer,
    hasChangelog: found.isShown,
  };
  const html = (page: RenderedPage, path: string) =>
    guideFiles(frame, page, {
      ...{ path, source: editLink(source, page), isHidden: hidden.has(page) },
    });
  const hasDiagrams = rendered.some(({ links }) => links.hasDiagrams);
  // What a note links to whose day has not come is not to be found either.
  const seen = rendered.filter(({ file }) => !found.notes.has(file) || found.hasCome(file));
  const published = publishedFiles({ files, config, references }, seen, log);
  const changelog = found.isShown
    ? writtenChangelog(
        siteChangelog({ title, api, origin, notes: notes.shown, references }),
        (file) => withoutFrontMatter(new TextDecoder().decode(files.get(file))),
      )
    : undefined;
  // One after the other, since each has the whole navigation.
  const own = function* () {
    if (start && !pages.some(({ path }) => path === '/')) {
      yield* html(start, '/');
      yield { ...markdownFile(start, files), path: markdownPath('/') };
    }
    for (const page of pages) {
      yield* html(page, page.path);
      yield markdownFile(page, files);
    }
    if (missing) yield notFoundFile(frame, missing);
    yield* referenceListFiles(references, frame, start === undefined);
    if (hasDiagrams) yield* diagramFiles(frame.assets);
    yield* published;
  };
  const index = {
    ...{ title, description },
    pages: shown.map((page) => ({
      ...page,
      markdown: markdownOf(page, files),
      isUnindexed: page.settings.isUnindexed,
    })),
    references,
  };
  return {
    title,
    files: allFiles(
      { frame, own: own(), pages: shown, references, index, changelog, dates, limits },
      log,
    ),
    contentSecurityPolicy: sitePolicy(connectOrigins(references.map(({ document }) => document)), {
      ...{ hasFonts: config.fonts.length > 0, hasDiagrams, hasFeedback: config.feedback },
    }),
    ...(frame.theme.accent && { accent: frame.theme.accent }),
    ...siteRedirects(config, {
      ...noteRedirects(notes.shown),
      // Of a site that has nothing else.
      ...(start === undefined && references.length === 0 && { '/': CHANGELOG.path }),
    }),
  };
}

/** So many APIs have links of their own in the header, as far as their names take no more letters than these. */
const MAX_LINKED = 3;
const MAX_LETTERS = 60;

function referenceLinks(references: readonly ReferenceContext[]): SiteLink[] {
  const own = references.map(({ title, addresses }) => ({ title, path: addresses.overview }));
  if (!isListed(references)) return own.map(({ path }) => ({ title: REFERENCE_LIST.title, path }));
  const letters = own.reduce((sum, { title }) => sum + title.length, 0);
  const areFew = own.length > 1 && own.length <= MAX_LINKED && letters <= MAX_LETTERS;
  return areFew ? own : [REFERENCE_LIST];
}

/** The redirects of the configuration, and one to the icon from where browsers look for it without being told to. */
function siteRedirects(
  { redirects, favicon }: DocsConfig,
  own: Readonly<Record<string, string>>,
): ReturnType<typeof builtRedirects> {
  const built = builtRedirects(redirects);
  const icon =
    favicon === undefined
      ? {}
      : ({ '/favicon.ico': { to: hrefOf(`/${favicon}`), status: 302 } } as const);
  return { ...built, redirects: { ...own, ...icon, ...built.redirects } };
}

/** A note has no page, and where it would be leads to its place. */
const noteRedirects = (notes: readonly ChangelogNote[]): Record<string, string> =>
  Object.fromEntries(
    notes.map(({ anchor, page }) => [page.path, `${CHANGELOG.path}#${encodeURI(anchor)}`]),
  );

const TAKEN =
  'The site has a page, or a redirect, of its own at `/changelog`: what has changed in the API is not listed there.';

function themeOf({
  files,
  config,
}: Pick<Guides, 'files' | 'config'>): Pick<Theme, 'color' | 'darkColor' | 'fonts'> {
  const fonts = config.fonts.map(({ use, weight, file }) => ({
    ...{ use, weight, content: files.get(file) ?? new Uint8Array() },
  }));
  return { color: config.color, darkColor: config.darkColor, fonts };
}

function editLink(source: SourceLinks, { file }: RenderedPage): SourceLink | undefined {
  const href = source.edit(file);
  return href === undefined ? undefined : { href, text: 'Edit this page' };
}

/** By file, and in a file from its first line to its last. */
function byPlace(one: BuildProblem, other: BuildProblem): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return (one.line ?? 0) - (other.line ?? 0);
}

/** Nobody would read more; the rest is counted. */
const MAX_PROBLEMS = 50;

function firstProblems(problems: readonly BuildProblem[]): readonly BuildProblem[] {
  const more = problems.length - MAX_PROBLEMS;
  if (more <= 0) return problems;
  const rest = problemOf(`And ${more} more problems of the same guides.`);
  return [...problems.slice(0, MAX_PROBLEMS), rest];
}

function noPages({ file }: DocsConfig): BuildProblem {
  return problemOf(
    'There is nothing to publish: the archive has no Markdown page (.md, .mdx) and no OpenAPI document.',
    file,
  );
}

function warn(
  config: DocsConfig,
  rendered: readonly RenderedPage[],
  notes: ChangelogFiles['notes'],
  log: BuildLog,
): void {
  for (const { file, links, settings } of rendered) {
    for (const { rule, message, line } of links.warnings)
      log({ rule, message, file, path: '', line });
    for (const message of settings.warnings)
      log({ rule: 'navigation', message, file, path: '', line: 1 });
  }
  const pages = rendered.filter(({ file }) => !notes.has(file));
  for (const file of unlistedPages(config, pages)) {
    const message = `${file} is published, but the navigation in ${config.file} doesn't list it.`;
    log({ rule: 'navigation', message, file: config.file, path: '', line: null });
  }
}

const markdownOf = ({ file }: RenderedPage, files: SourceFiles) =>
  new TextDecoder().decode(files.get(file));

function markdownFile(page: RenderedPage, files: SourceFiles): SiteFile {
  return {
    path: markdownPath(page.path),
    type: TYPES.markdown,
    content: files.get(page.file) ?? '',
  };
}

/** Images, and files that pages link to. */
function publishedFiles(
  { files, config: { logo, favicon, fonts, css }, references }: Omit<Guides, 'changelog'>,
  pages: readonly RenderedPage[],
  log: BuildLog,
): SiteFile[] {
  const wanted = new Set(pages.flatMap(({ links }) => [...links.files]));
  if (logo) wanted.add(logo.light).add(logo.dark);
  if (favicon !== undefined) wanted.add(favicon);
  const published: SiteFile[] = [];
  const others: string[] = [];
  const parts = new Set(references.flatMap(({ checked }) => checked.parts ?? []));
  // Published under other names.
  const used = new Set([...[...pages, ...fonts].map(({ file }) => file), css]);
  for (const [path, content] of files) {
    const type = mediaType(path);
    if (used.has(path)) continue;
    if (type !== undefined && (isImage(path) || wanted.has(path))) {
      published.push({ path: `/${path}`, type, content });
    } else if (!parts.has(path)) others.push(path);
  }
  if (others.length > 0) {
    const named = others.sort().slice(0, 5).join(', ');
    const message = `Not published, as no page links to them: ${named}${others.length > 5 ? `, and ${others.length - 5} more.` : '.'}`;
    log({ message });
  }
  return published;
}

/** Pages that are in no list: by their front matter, or by their entries in the navigation. */
function hiddenPages(
  { navigation = [] }: DocsConfig,
  pages: readonly RenderedPage[],
): ReadonlySet<RenderedPage> {
  const entries = listedPages(navigation).filter(({ isHidden }) => isHidden);
  const files = new Set(entries.map(({ file }) => file));
  return new Set(pages.filter(({ file, settings }) => settings.isHidden || files.has(file)));
}

/** Pages that are in no list, and are not hidden. */
function unlistedPages({ navigation }: DocsConfig, pages: readonly RenderedPage[]): string[] {
  if (!navigation) return [];
  const listed = new Set(listedPages(navigation).map(({ file }) => file));
  return pages
    .filter(
      ({ file, settings }) => !listed.has(file) && !settings.isHidden && !isNotFoundPage(file),
    )
    .map(({ file }) => file);
}

const listedPages = (navigation: readonly ConfigTab[]) =>
  navigation.flatMap(({ content }) => (Array.isArray(content) ? pagesOf(content) : []));
