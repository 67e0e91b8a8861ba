import type { Nodes } from 'mdast';
import rehypeRaw from 'rehype-raw';
import rehypeSanitize, { defaultSchema, type Options } from 'rehype-sanitize';
import rehypeSlug from 'rehype-slug';
import rehypeStringify from 'rehype-stringify';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { LineCounter, parseDocument } from 'yaml';
import { yamlProblem } from '../../syntax/yaml-problem.ts';
import type { LinkTargets } from '../links/link-target.ts';
import { pagePath } from '../links/site-paths.ts';
import { rehypeBlocks, rehypeCode, rehypeNotes } from './rehype-blocks.ts';
import { type PageLinks, rehypeLinks } from './rehype-links.ts';
import { type PageParts, rehypeIds, rehypeParts } from './rehype-parts.ts';

export interface RenderedPage extends PageParts {
  readonly file: string;
  /** `/guides/start` */
  readonly path: string;
  readonly title: string;
  /** A sentence about it; empty for none. */
  readonly description: string;
  /** HTML that is safe to put into a page. */
  readonly html: string;
  readonly links: PageLinks;
}

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
  const parts: PageParts = { headings: [], ids: [], sections: [] };
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
    description: matter.description,
    html,
    links,
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
    .use(rehypeSanitize, SCHEMA)
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

/** Levels of nested lists, quotes and the like. Beyond this nobody reads on, and programs run out of stack. */
const MAX_NESTING = 100;

const TOO_DEEP = `The page is nested more than ${MAX_NESTING} levels deep.`;

const QUOTES = new RegExp(`^(?:[ \\t]*>){${MAX_NESTING + 1}}`, 'm');

/** Whether a line has more nested quotes than allowed: the parser takes minutes for those. */
const isQuotedTooDeeply = (markdown: string): boolean => QUOTES.test(markdown);

/** Without recursion, since it guards against deep nesting. */
function isNestedTooDeeply(root: Nodes): boolean {
  let level: Nodes[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_NESTING) return true;
    level = level.flatMap((node) => ('children' in node ? node.children : []));
  }
  return false;
}

/**
 * The elements and attributes that a page may have: GitHub's rules, which allow no script, style, form, frame or event
 * handler. Ids stay as they are: see rehypeIds.
 */
const SCHEMA: Options = {
  ...defaultSchema,
  tagNames: [
    ...(defaultSchema.tagNames ?? []).filter((name) => name !== 'picture' && name !== 'source'),
    'abbr',
    'figure',
    'figcaption',
    'mark',
  ],
  clobber: [],
  // The text of these elements is not for people.
  strip: ['script', 'style', 'template', 'iframe', 'noscript', 'object'],
  attributes: {
    ...defaultSchema.attributes,
    abbr: ['title'],
    // The highlighter runs later and adds its own classes.
    code: [['className', /^language-[\w+#.-]{1,40}$/]],
  },
  protocols: {
    ...defaultSchema.protocols,
    href: ['http', 'https', 'mailto', 'tel', 'operation'],
    src: ['http', 'https'],
  },
};

interface FrontMatter {
  readonly title: string | undefined;
  readonly description: string;
  /** The rest of the text, after as many empty lines as were removed, so that lines keep their numbers. */
  readonly markdown: string;
  readonly problems: readonly { readonly message: string; readonly line: number }[];
}

const BLOCK = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\r?\n|$)/;

/** The most bytes of YAML before a page. */
const MAX_SIZE = 16 * 1024;

/** Removes the YAML at a page's beginning. Of its keys, `title` and `description` are used. */
function readFrontMatter(text: string): FrontMatter {
  const [block, yaml] = BLOCK.exec(text.slice(0, MAX_SIZE)) ?? [];
  if (block === undefined || yaml === undefined) {
    return { title: undefined, description: '', markdown: text, problems: [] };
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
    markdown: '\n'.repeat(block.split('\n').length - 1) + text.slice(block.length),
    problems,
  };
}
