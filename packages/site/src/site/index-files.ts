import { CHANGELOG } from '../changelog/changelog-paths.ts';
import { markdownFiles } from '../markdown/markdown-files.ts';
import { destination, literal, pageLink } from '../markdown/markdown-text.ts';
import { aboutOperation } from '../markdown/tag-markdown.ts';
import { REFERENCE_LIST, referencePaths } from '../reference/addresses.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { isListed } from '../reference/reference-list.ts';
import { apiCatalogFile } from './api-catalog.ts';
import { type SiteFile, TYPES } from './site-files.ts';
import { type LastModified, sitemapFiles } from './sitemap.ts';

/** A page of a site besides the reference. */
interface IndexedPage {
  /** `/guides/start`. */
  readonly path: string;
  readonly title: string;
  /** A sentence about it; empty for none. */
  readonly description: string;
  readonly markdown: string;
  /** Search engines shall not list it. */
  readonly isUnindexed: boolean;
}

export interface IndexedSite {
  readonly title: string;
  readonly description: string;
  /** The guides, in the order of the navigation. */
  readonly pages: readonly IndexedPage[];
  /** None where a site has only guides. */
  readonly references: readonly ReferenceContext[];
  /** The changelog in Markdown; absent where the site has none. */
  readonly changelog?: string;
  readonly lastModified?: LastModified;
}

/**
 * The files that tell programs which pages a site has: `/llms.txt`, `/llms-full.txt` (https://llmstxt.org),
 * `/sitemap.xml`, `/robots.txt`, and for references `/.well-known/api-catalog`. All but the full text are templates,
 * since what they list are whole addresses.
 */
export function indexFiles(site: IndexedSite): SiteFile[] {
  const { references, lastModified } = site;
  return [
    { path: '/llms.txt', type: TYPES.markdown, content: llmsText(site), template: true },
    { path: '/llms-full.txt', type: TYPES.markdown, content: fullText(site) },
    ...sitemapFiles(pathsOf(site), lastModified),
    { path: '/robots.txt', type: TYPES.text, content: ROBOTS, template: true },
    ...(references.length > 0 ? [apiCatalogFile(references)] : []),
  ];
}

const ROBOTS = `User-agent: *
Allow: /

Sitemap: {{origin}}/sitemap.xml
`;

function* pathsOf({ pages, references, changelog }: IndexedSite): Generator<string> {
  for (const { path, isUnindexed } of pages) if (!isUnindexed) yield path;
  if (changelog !== undefined) yield CHANGELOG.path;
  if (isListed(references)) yield REFERENCE_LIST.path;
  for (const { addresses } of references) yield* referencePaths(addresses);
}

function heading({ title, description }: IndexedSite): string {
  return `# ${literal(title)}\n${description ? `\n> ${literal(description)}\n` : ''}`;
}

function llmsText(site: IndexedSite): string {
  const { pages, references } = site;
  const guides = pages.map(({ title, path, description }) => link(title, path, description));
  return [
    heading(site),
    ...section('Guides', guides),
    ...(references.length === 1 && !isListed(references) ? [] : section('Everything', [FULL_TEXT])),
    ...references.flatMap(referenceSections),
    ...(site.changelog === undefined ? [] : section(CHANGELOG.title, CHANGELOG_LINKS)),
  ].join('\n');
}

/** In letters, of an operation: programs read the whole list at once. */
const MAX_ABOUT = 100;

const link = (title: string, path: string, about: string) =>
  pageLink(title, path, about, '{{origin}}');

const download = (title: string, path: string, about: string) =>
  `- [${title}]({{origin}}${destination(path)}): ${about}`;

const FULL_TEXT = download('Everything as text', '/llms-full.txt', 'all pages in one');

const CHANGELOG_LINKS = [
  link(CHANGELOG.title, CHANGELOG.path, 'what has changed, by day'),
  download('Atom feed', CHANGELOG.atom, 'the same for readers of feeds'),
  download('JSON feed', CHANGELOG.json, 'the same'),
];

function section(title: string, items: readonly string[]): string[] {
  return items.length > 0 ? [`## ${literal(title)}\n\n${items.join('\n')}\n`] : [];
}

/** The parts of a reference in the document's own order. */
function referenceSections({ title: api, addresses, downloads }: ReferenceContext): string[] {
  const { address, overview, tags, webhooks, models } = addresses;
  const named = (title: string) => (address === undefined ? title : `${api}: ${title}`);
  return [
    ...section(address === undefined ? 'Reference' : api, [
      link('Introduction', overview, 'servers and authentication'),
      download('OpenAPI, JSON', downloads.json, 'every operation, parameter, schema and response'),
      download('OpenAPI, YAML', downloads.yaml, 'the same'),
      ...(address === undefined ? [FULL_TEXT] : []),
    ]),
    ...[...tags, ...(webhooks ? [webhooks] : [])].flatMap(({ title, operations }) =>
      section(
        named(title),
        operations.map((one) =>
          link(one.title, addresses.operation(one), aboutOperation(one, MAX_ABOUT)),
        ),
      ),
    ),
    ...section(
      named('Models'),
      models.map((name) => link(name, addresses.model(name) ?? overview, '')),
    ),
  ];
}

function fullText(site: IndexedSite): string {
  const { pages, references } = site;
  const contents = [
    heading(site),
    ...pages.map(({ markdown }) => markdown),
    ...references.flatMap((one) => markdownFiles(one).map(({ content }) => String(content))),
    ...(site.changelog === undefined ? [] : [site.changelog]),
  ];
  return contents.join('\n');
}
