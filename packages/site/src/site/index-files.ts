import { literal } from '../markdown/markdown-text.ts';
import { operationFiles } from '../markdown/operation-markdown.ts';
import type { CheckedDocument, OperationSummary } from '../openapi/openapi-types.ts';
import { type SiteFile, TYPES } from './site-files.ts';

/** A page of a site besides the reference. */
interface IndexedPage {
  /** `/guides/start`. */
  readonly path: string;
  readonly title: string;
  /** A sentence about it; empty for none. */
  readonly description: string;
  readonly markdown: string;
}

export interface IndexedSite {
  readonly title: string;
  readonly description: string;
  readonly pages: readonly IndexedPage[];
  readonly referencePath: string;
  /** undefined where a site has only guides. */
  readonly checked: CheckedDocument | undefined;
}

/**
 * The files that tell programs which pages a site has: `/llms.txt`, `/llms-full.txt` (https://llmstxt.org),
 * `/sitemap.xml` and `/robots.txt`. The last two are templates.
 */
export function indexFiles(site: IndexedSite): SiteFile[] {
  return [
    { path: '/llms.txt', type: TYPES.markdown, content: llmsText(site) },
    { path: '/llms-full.txt', type: TYPES.markdown, content: fullText(site) },
    { path: '/sitemap.xml', type: TYPES.xml, content: sitemap(site), template: true },
    { path: '/robots.txt', type: TYPES.text, content: ROBOTS, template: true },
  ];
}

const ROBOTS = `User-agent: *
Allow: /

Sitemap: {{origin}}/sitemap.xml
`;

function heading({ title, description }: IndexedSite): string {
  return `# ${literal(title)}\n${description ? `\n> ${literal(description)}\n` : ''}`;
}

function llmsText(site: IndexedSite): string {
  const { pages, checked, referencePath } = site;
  const parts = [
    heading(site),
    pages.length > 0
      ? `## Pages\n\n${pages.map(({ title, path, description }) => item(title, path, description)).join('')}`
      : '',
    checked
      ? `## Documents\n\n${[
          item('Reference', referencePath, 'for people, with a panel to try each operation'),
          item('OpenAPI, JSON', '/openapi.json', 'every operation, parameter, schema and response'),
          item('OpenAPI, YAML', '/openapi.yaml', 'the same'),
          item('Everything as text', '/llms-full.txt', 'all pages and operations in one'),
        ].join('')}`
      : '',
    ...(checked ? operationLists(checked.operations) : []),
  ];
  return parts.filter(Boolean).join('\n');
}

function operationLists(operations: readonly OperationSummary[]): string[] {
  const byTag = Map.groupBy(operations, ({ tag, isWebhook }) =>
    isWebhook ? 'Webhooks' : (tag ?? 'Operations'),
  );
  return [...byTag].map(([tag, group]) => {
    const items = group.map(({ title, markdownPath, method, path, deprecated, isWebhook }) =>
      item(
        title,
        markdownPath,
        `${isWebhook ? 'webhook' : method} ${path}${deprecated ? ', deprecated' : ''}`,
      ),
    );
    return `## ${literal(tag)}\n\n${items.join('')}`;
  });
}

function item(title: string, path: string, about: string): string {
  return `- [${literal(title)}](${path})${about ? `: ${literal(about)}` : ''}\n`;
}

function fullText(site: IndexedSite): string {
  const contents = [
    heading(site),
    ...site.pages.map(({ markdown }) => markdown),
    ...(site.checked ? operationFiles(site.checked).map(({ content }) => String(content)) : []),
  ];
  return contents.join('\n');
}

function sitemap({ pages, checked, referencePath }: IndexedSite): string {
  const paths = [
    ...new Set([...pages.map(({ path }) => path), ...(checked ? [referencePath] : [])]),
  ];
  const entries = paths.map(
    (path) =>
      `<url><loc>{{origin}}${encodeURI(path).replaceAll('&', '&amp;').replaceAll("'", '&apos;')}</loc></url>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('')}</urlset>
`;
}
