import { Html, html } from '@petstore/http/html.ts';
import { prefix } from '@petstore/service/text.ts';
import type { Root } from 'hast';
import rehypeRaw from 'rehype-raw';
import rehypeSanitize, { type Options as SanitizeOptions } from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { type Plugin, unified } from 'unified';
import { rehypeBlocks, rehypeCode, rehypeNotes } from '../guides/render/rehype-blocks.ts';
import { isNestedTooDeeply, SAFE_HTML } from '../guides/render/safe-html.ts';
import { plainText } from '../openapi/plain-text.ts';
import type { Descriptions, Warn } from '../reference/reference-context.ts';
import { isPlain, paragraphs } from './plain-paragraphs.ts';
import { readingBounds } from './reading-bounds.ts';
import { type DescriptionParts, directBlocks, fitDescription } from './rehype-descriptions.ts';

interface Options {
  readonly warn: Warn;
  /** The images of the archive. */
  readonly files?: ReadonlySet<string>;
  /** The address of a link that is no web address, such as `#tag/pets`; undefined where it leads nowhere. */
  readonly resolveLink?: (href: string) => string | undefined;
}

/** The most letters of a description that are shown. Longer ones are data. */
const MAX_SHOWN = 200_000;

/** The level of a description's highest headings: below those of the page's sections. */
const TOP_HEADING = 3;

/**
 * Renders the descriptions of one document, each text once. Texts that would take too long to read as Markdown are shown
 * as they are.
 */
export function descriptions(options: Options): Descriptions {
  const { resolveLink = () => undefined } = options;
  const blocks = new Map<string, Html>();
  const plains = new Map<string, string>();
  const plain = plainText();
  const render = renderer(options);
  return {
    block(markdown, place, top = TOP_HEADING) {
      const key = `${top} ${markdown}`;
      const found = blocks.get(key) ?? render(markdown, place, top);
      blocks.set(key, found);
      return found;
    },
    plain(markdown) {
      const found = plains.get(markdown) ?? plain.of(markdown);
      plains.set(markdown, found);
      return found;
    },
    linkTo: resolveLink,
  };
}

type Render = (markdown: string, place: string, top: number) => Html;

function renderer({ warn, files = new Set(), resolveLink = () => undefined }: Options): Render {
  const bounds = readingBounds();
  // Of the text that is rendered: one at a time.
  let parts: DescriptionParts;
  const fit = () => (tree: Root) => fitDescription(tree, parts);
  let source: string;
  const direct = () => (tree: Root) => directBlocks(tree, source);
  const parser = unified().use(remarkParse).use(remarkGfm).freeze();
  const toHtml = (readHtml: Plugin<[], Root, Root>) =>
    unified()
      .use(remarkRehype, { allowDangerousHtml: true, clobberPrefix: '' })
      .use(readHtml)
      .use(rehypeSanitize, SAFE_DESCRIPTION)
      .use(rehypeNotes)
      .use(fit)
      .use(direct)
      .use(rehypeCode)
      .use(rehypeBlocks)
      .use(rehypeStringify)
      .freeze();
  const withHtml = toHtml(rehypeRaw);
  // Reading HTML is half of the work, and most texts have none.
  const withoutHtml = toHtml(() => (tree) => tree);

  function read(markdown: string): Html | undefined {
    const tree = parser.parse(markdown);
    if (isNestedTooDeeply(tree)) return undefined;
    source = markdown;
    const made = markdown.includes('<') ? withHtml : withoutHtml;
    try {
      return new Html(made.stringify(made.runSync(tree)));
    } catch (error) {
      // Nested HTML elements, which Markdown's parser reads as text.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  return (markdown, place, top) => {
    const text = prefix(markdown, MAX_SHOWN);
    const isCut = text.length < markdown.length;
    if (!isCut && isPlain(text)) return paragraphs(text);
    if (isCut)
      warn(
        `The text is longer than ${MAX_SHOWN.toLocaleString('en')} characters: it was cut.`,
        place,
        'markdown',
      );
    parts = { top, resolveLink, files, warn: (message, rule) => warn(message, place, rule) };
    const problem = bounds.problem(text);
    const made = problem === undefined ? read(text) : undefined;
    if (made === undefined) {
      warn(`The text is shown without formatting: ${problem ?? TOO_DEEP}.`, place, 'markdown');
    }
    return html`${made ?? paragraphs(text)}${isCut ? html`<p>…</p>` : ''}`;
  };
}

const TOO_DEEP = 'it is nested too deeply';

/** As in guides, and images within the text, of which `fitDescription` keeps the safe kinds. */
const SAFE_DESCRIPTION: SanitizeOptions = {
  ...SAFE_HTML,
  protocols: { ...SAFE_HTML.protocols, src: ['http', 'https', 'data'] },
};
