import rehypeRaw from 'rehype-raw';
import rehypeSanitize from 'rehype-sanitize';
import rehypeSlug from 'rehype-slug';
import rehypeStringify from 'rehype-stringify';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { cutAfterWord } from '../../reference/first-sentence.ts';
import { type Hints, hintsOfMany, type LinkTargets } from '../links/link-target.ts';
import { pagePath } from '../links/site-paths.ts';
import type { PageSettings } from '../page-settings.ts';
import { type GuideSource, readGuide, TOO_DEEP } from './components/read-guide.ts';
import { rehypeComponents } from './components/rehype-components.ts';
import { rehypeFrames } from './components/rehype-frames.ts';
import { componentHandlers } from './components/to-hast.ts';
import { rehypeDiagrams } from './diagrams/rehype-diagrams.ts';
import { readFrontMatter } from './front-matter.ts';
import { rehypeMath } from './math/rehype-math.ts';
import { rehypeBlocks, rehypeCode, rehypeNotes } from './rehype-blocks.ts';
import { rehypeLeftOut } from './rehype-left-out.ts';
import { type PageLinks, rehypeLinks } from './rehype-links.ts';
import { rehypeNote } from './rehype-note.ts';
import {
  type PageParts,
  rehypeIds,
  rehypeOtherIds,
  rehypePartIds,
  rehypeParts,
} from './rehype-parts.ts';
import { rehypeTitle } from './rehype-title.ts';
import { SAFE_GUIDE } from './safe-html.ts';

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

/** The content of a file of the archive, which a page may include. */
type ReadFile = (file: string) => Uint8Array | undefined;

/** In letters: of a paragraph as a description, of which search engines show no more. */
const MAX_DESCRIPTION = 200;

/** In bytes of Markdown. */
export const MAX_PAGE_SIZE = 2 * 1024 * 1024;

/**
 * Renders the Markdown of a page: CommonMark with GitHub's extensions, components and sanitized HTML. Its problems are in
 * `links.problems`. A malicious page may take very long: give it a thread and a deadline.
 */
export async function renderPage(
  file: string,
  content: Uint8Array,
  targets: LinkTargets,
  read?: ReadFile,
  hints: Hints = hintsOfMany(),
): Promise<RenderedPage> {
  const parts: PageParts = { headings: [], ids: [], sections: [], paragraph: '' };
  const links: PageLinks = {
    ...{ pages: [], files: new Set(), icons: new Set(), hasDiagrams: false },
    ...{ problems: [], warnings: [] },
  };
  const text = decodedText(content);
  const matter = readFrontMatter(text ?? '');
  for (const problem of matter.problems) links.problems.push(problem);
  if (text === undefined) links.problems.push({ message: 'The page is not UTF-8 text.', line: 1 });
  const hasTitle = Boolean(matter.title);
  const anchor = targets.notes?.get(file);
  const note = anchor === undefined ? undefined : { anchor, title: '' };
  const html = await toHtml(matter.markdown, {
    ...{ file, targets, parts, links, read, hints, hasTitle, note },
  });
  const ownTitle = parts.headings.find(({ depth }) => depth === 1)?.text;
  const title = matter.title || (note?.title ?? (ownTitle || nameOf(file)));
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
  page: {
    file: string;
    targets: LinkTargets;
    parts: PageParts;
    links: PageLinks;
    read: ReadFile | undefined;
    hints: Hints;
    hasTitle: boolean;
    /** Of a note of the changelog, whose title is found. */
    note: { readonly anchor: string; title: string } | undefined;
  },
): Promise<string> {
  const { file, targets, parts, links, hints, hasTitle, note } = page;
  const { read = () => undefined } = page;
  const fail = (message: string, line: number) => links.problems.push({ message, line });
  const warn: GuideSource['warn'] = (rule, message, line) =>
    links.warnings.push({ rule, message, line });
  const { files, references } = targets;
  const renderer = unified()
    .use(remarkRehype, {
      allowDangerousHtml: true,
      clobberPrefix: '',
      handlers: componentHandlers,
    })
    .use(rehypeRaw)
    .use(rehypeFrames)
    .use(rehypeLeftOut, { warn })
    .use(rehypeSanitize, SAFE_GUIDE)
    .use(rehypeIds)
    .use(rehypeComponents, { references, icons: links.icons, hints, warn, fail })
    .use(rehypeTitle, { hasTitle })
    .use(rehypeSlug)
    .use(rehypePartIds)
    .use(rehypeOtherIds)
    .use(
      note
        ? [
            [
              rehypeNote,
              {
                anchor: note.anchor,
                onTitle: (text: string) => {
                  note.title = text;
                },
              },
            ],
          ]
        : [],
    )
    .use(rehypeNotes)
    .use(rehypeParts, parts)
    .use(rehypeLinks, { from: file, targets, found: links, hints })
    .use(rehypeMath, { found: links })
    .use(rehypeDiagrams, { found: links })
    .use(rehypeCode)
    .use(rehypeBlocks)
    .use(rehypeStringify);
  try {
    const tree = readGuide({
      ...{ file, markdown, files, hints, warn, fail },
      read: (path) => decodedText(read(path)),
    });
    return renderer.stringify(await renderer.run(tree));
  } catch (error) {
    // Nested HTML elements, which Markdown's parser reads as text.
    if (!(error instanceof RangeError)) throw error;
    fail(TOO_DEEP, 1);
    return '';
  }
}

function decodedText(content: Uint8Array | undefined): string | undefined {
  if (content === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** `getting-started.md` -> `Getting started` */
function nameOf(file: string): string {
  const words = (file.split('/').at(-1) ?? '')
    .replace(/\.mdx?$/i, '')
    .replaceAll(/[-_]+/g, ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1) || file;
}
