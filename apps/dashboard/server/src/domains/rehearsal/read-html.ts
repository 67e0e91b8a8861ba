import { type Token, Tokenizer, TokenizerMode } from 'parse5';

/** What a crawl needs of a page. */
export interface HtmlFacts {
  /** The text of the first `title`, on one line; empty where there is none. */
  readonly title: string;
  /** The targets of its links, as they are written, in their order; each once. */
  readonly links: readonly string[];
  /** `<base href>`, to which the links are relative. */
  readonly base: string | undefined;
  /** The page asks that its links are not followed. */
  readonly isNofollow: boolean;
}

const MAX_LINKS = 2_000;
const MAX_TITLE = 300;

/**
 * The title and the links of a page. The text is of others: it is read as tokens in one pass, without a tree, so that
 * no nesting makes it slow.
 */
export function readHtml(html: string): HtmlFacts {
  const links = new Set<string>();
  let title: string | undefined;
  let base: string | undefined;
  let isNofollow = false;
  let isInTitle = false;
  const tokenizer = tokenizerOf({
    start({ tagName, attrs }) {
      const attribute = (name: string) => attrs.find((one) => one.name === name)?.value;
      const mode = MODES[tagName];
      if (mode !== undefined) {
        tokenizer.state = mode;
        // Such an element ends at its own end tag alone.
        tokenizer.lastStartTagName = tagName;
      }
      if (tagName === 'title') isInTitle = title === undefined;
      if (tagName === 'base') base ??= attribute('href');
      if (tagName === 'meta' && attribute('name')?.toLowerCase() === 'robots')
        isNofollow ||= /\b(?:nofollow|none)\b/i.test(attribute('content') ?? '');
      if (tagName !== 'a' && tagName !== 'area') return;
      const href = attribute('href');
      if (href !== undefined && links.size < MAX_LINKS) links.add(href.trim());
    },
    end({ tagName }) {
      if (tagName === 'title') isInTitle = false;
    },
    text(chars) {
      if (isInTitle) title = `${title ?? ''}${chars}`.slice(0, MAX_TITLE);
    },
  });
  tokenizer.write(html, true);
  return { title: (title ?? '').replace(/\s+/g, ' ').trim(), links: [...links], base, isNofollow };
}

/** How the content of some elements is read (HTML, section 13.2.6.4): not as further elements. */
const MODES: Readonly<Record<string, Tokenizer['state']>> = {
  title: TokenizerMode.RCDATA,
  textarea: TokenizerMode.RCDATA,
  style: TokenizerMode.RAWTEXT,
  xmp: TokenizerMode.RAWTEXT,
  iframe: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  script: TokenizerMode.SCRIPT_DATA,
};

export interface Sitemap {
  /** The addresses of pages, as they are written. */
  readonly pages: readonly string[];
  /** Those of further sitemaps. */
  readonly sitemaps: readonly string[];
}

const MAX_LOCATIONS = 5_000;
const MAX_LOCATION = 2_048;

/** The addresses in a sitemap (https://www.sitemaps.org/protocol.html), or in an index of several. */
export function readSitemap(xml: string): Sitemap {
  const pages: string[] = [];
  const sitemaps: string[] = [];
  let isIndex = false;
  let location: string | undefined;
  const tokenizer = tokenizerOf({
    start({ tagName }) {
      if (tagName === 'sitemap') isIndex = true;
      if (tagName === 'url') isIndex = false;
      if (tagName === 'loc') location = '';
    },
    end({ tagName }) {
      if (tagName !== 'loc' || location === undefined) return;
      const all = isIndex ? sitemaps : pages;
      if (all.length < MAX_LOCATIONS) all.push(location.trim());
      location = undefined;
    },
    text(chars) {
      if (location !== undefined) location = `${location}${chars}`.slice(0, MAX_LOCATION);
    },
  });
  // As in SVG, where `<![CDATA[` begins text.
  tokenizer.inForeignNode = true;
  tokenizer.write(xml, true);
  return { pages, sitemaps };
}

interface Handlers {
  readonly start: (tag: Token.TagToken) => void;
  readonly end: (tag: Token.TagToken) => void;
  readonly text: (chars: string) => void;
}

function tokenizerOf({ start, end, text }: Handlers): Tokenizer {
  const ignore = () => {};
  const take = ({ chars }: Token.CharacterToken) => text(chars);
  return new Tokenizer(
    {},
    {
      onStartTag: start,
      onEndTag: end,
      onCharacter: take,
      onWhitespaceCharacter: take,
      onNullCharacter: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
    },
  );
}
