import rehypeRaw from 'rehype-raw';
import rehypeSanitize from 'rehype-sanitize';
import rehypeSlug from 'rehype-slug';
import rehypeStringify from 'rehype-stringify';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { LineCounter, parseDocument } from 'yaml';
import { cutAfterWord } from '../../reference/first-sentence.ts';
import { yamlProblem } from '../../syntax/yaml-problem.ts';
import type { LinkTargets } from '../links/link-target.ts';
import { pagePath } from '../links/site-paths.ts';
import { NO_SETTINGS, type PageSettings, pageSettings } from '../page-settings.ts';
import { rehypeBlocks, rehypeCode, rehypeNotes } from './rehype-blocks.ts';
import { type PageLinks, rehypeLinks } from './rehype-links.ts';
import { type PageParts, rehypeIds, rehypeParts } from './rehype-parts.ts';
import { isNestedTooDeeply, isQuotedTooDeeply, MAX_NESTING, SAFE_HTML } from './safe-html.ts';

export interface RenderedPage extends PageParts {
  readonly file: string;
  /** `/guides/start` */
  readonly path: string;
  readonly title: string;
  /** About it, for search engines and lists: that of the front matter, or else its first paragraph; may be empty. */
  readonly description: string;
  /** The description of the front matter; empty for none. */
  readonly lead: string;
  /** HTML that is safe to put into a page. */
  readonly html: string;
  readonly links: PageLinks;
  readonly settings: PageSettings;
}

/** In letters: of a paragraph as a description, of which search engines show no more. */
const MAX_DESCRIPTION = 200;

/** In bytes of Markdown. */
export const MAX_PAGE_SIZE = 2 * 1024 * 1024;

/**
 * Renders the Markdown of a page: CommonMark with GitHub's extensions and sanitized HTML. Its problems are in
 * `links.problems`. A malicious page may take very long: give it a thread and a deadline.
 */
export async function renderPage(
  file: string,
  content: Uint8Array,
  targets: LinkTargets,
): Promise<RenderedPage> {
  const parts: PageParts = { headings: [], ids: [], sections: [], paragraph: '' };
  const links: PageLinks = { pages: [], files: new Set(), problems: [], warnings: [] };
  const text = decodedText(content);
  const matter = readFrontMatter(text ?? '');
  for (const problem of matter.problems) links.problems.push(problem);
  if (text === undefined) links.problems.push({ message: 'The page is not UTF-8 text.', line: 1 });
  const html = await toHtml(matter.markdown, { file, targets, parts, links });
  const ownTitle = parts.headings.find(({ depth }) => depth === 1)?.text;
  const title = matter.title || ownTitle || nameOf(file);
  return {
    ...parts,
    file,
    path: pagePath(file, targets.files),
    title,
    description: matter.description || cutAfterWord(parts.paragraph, MAX_DESCRIPTION),
    lead: matter.description,
    html,
    links,
    settings: matter.settings,
  };
}

async function toHtml(
  markdown: string,
  page: { file: string; targets: LinkTargets; parts: PageParts; links: PageLinks },
): Promise<string> {
  const { file, targets, parts, links } = page;
  const fail = (message: string) => {
    links.problems.push({ message, line: 1 });
    return '';
  };
  if (isQuotedTooDeeply(markdown)) return fail(TOO_DEEP);
  const parser = unified().use(remarkParse).use(remarkGfm);
  const renderer = unified()
    .use(remarkRehype, { allowDangerousHtml: true, clobberPrefix: '' })
    .use(rehypeRaw)
    .use(rehypeSanitize, SAFE_HTML)
    .use(rehypeIds)
    .use(rehypeSlug)
    .use(rehypeNotes)
    .use(rehypeParts, parts)
    .use(rehypeLinks, { from: file, targets, found: links })
    .use(rehypeCode)
    .use(rehypeBlocks)
    .use(rehypeStringify);
  try {
    const tree = parser.parse(markdown);
    if (isNestedTooDeeply(tree)) return fail(TOO_DEEP);
    return renderer.stringify(await renderer.run(tree));
  } catch (error) {
    // Nested HTML elements, which Markdown's parser reads as text.
    if (error instanceof RangeError) return fail(TOO_DEEP);
    throw error;
  }
}

const TOO_DEEP = `The page is nested more than ${MAX_NESTING} levels deep.`;

function decodedText(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** `getting-started.md` -> `Getting started` */
function nameOf(file: string): string {
  const words = (file.split('/').at(-1) ?? '')
    .replace(/\.md$/i, '')
    .replaceAll(/[-_]+/g, ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1) || file;
}

interface FrontMatter {
  readonly title: string | undefined;
  readonly description: string;
  readonly settings: PageSettings;
  /** The rest of the text, after as many empty lines as were removed, so that lines keep their numbers. */
  readonly markdown: string;
  readonly problems: readonly { readonly message: string; readonly line: number }[];
}

const BLOCK = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\r?\n|$)/;

/** The most bytes of YAML before a page. */
const MAX_SIZE = 16 * 1024;

/** Removes the YAML at a page's beginning, of which `title`, `description` and the page's settings are used. */
function readFrontMatter(text: string): FrontMatter {
  const [block, yaml] = BLOCK.exec(text.slice(0, MAX_SIZE)) ?? [];
  if (block === undefined || yaml === undefined) {
    return {
      ...{ title: undefined, description: '', settings: NO_SETTINGS },
      ...{ markdown: text, problems: [] },
    };
  }
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false });
  // The first line is the one with the dashes.
  const lineAt = (offset: number) => lines.linePos(offset).line + 1;
  const problem = yamlProblem(document, { text: yaml, lineAt });
  const problems = problem ? [problem] : [];
  const textOf = (key: string) => {
    const value: unknown = problems.length === 0 ? document.get(key) : undefined;
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  return {
    title: textOf('title'),
    description: textOf('description') ?? '',
    settings: problems.length === 0 ? pageSettings(document) : NO_SETTINGS,
    markdown: '\n'.repeat(block.split('\n').length - 1) + text.slice(block.length),
    problems,
  };
}
