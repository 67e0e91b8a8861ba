import { defaultSchema, type Options } from 'rehype-sanitize';

// What Markdown of others may become in guides and in descriptions.

/**
 * The elements and attributes that Markdown may have: GitHub's rules, which allow no script, style, form, frame or event
 * handler. Ids stay as they are: see rehypeIds.
 */
export const SAFE_HTML: Options = {
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
    href: ['http', 'https', 'mailto', 'tel', 'operation', 'model'],
    src: ['http', 'https'],
  },
};

/** Levels of nested lists, quotes and the like. Beyond this nobody reads on, and programs run out of stack. */
export const MAX_NESTING = 100;

const QUOTES = new RegExp(`^(?:[ \\t]*>){${MAX_NESTING + 1}}`, 'm');

/** Whether a line has more nested quotes than allowed: the parser takes minutes for those. */
export const isQuotedTooDeeply = (markdown: string): boolean => QUOTES.test(markdown);

interface Tree {
  readonly type: string;
  readonly children?: readonly Tree[];
}

/** Without recursion, since it guards against deep nesting. */
export function isNestedTooDeeply(root: Tree): boolean {
  let level: readonly Tree[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_NESTING) return true;
    level = level.flatMap(({ children }) => children ?? []);
  }
  return false;
}

/** Whether an address may stand in `href` or `src`: relative, or with one of the protocols of `SAFE_HTML`. */
export function isSafeAddress(address: string, place: 'href' | 'src'): boolean {
  if (/[\p{Cc}\\]/u.test(address)) return false;
  const [, protocol] = /^\s*([^/?#]*?):/.exec(address) ?? [];
  return (
    protocol === undefined ||
    SAFE_HTML.protocols?.[place]?.includes(protocol.toLowerCase()) === true
  );
}

/** In guides, components as elements until they are rendered, and what they need of tables, images and code. */
export const SAFE_GUIDE: Options = {
  ...SAFE_HTML,
  tagNames: [...(SAFE_HTML.tagNames ?? []), 'guide-component'],
  attributes: {
    ...SAFE_HTML.attributes,
    'guide-component': ['dataComponent'],
    a: [
      ...(SAFE_HTML.attributes?.a ?? []).filter((name) => name[0] !== 'className'),
      ['className', 'data-footnote-backref', 'button', 'primary', 'secondary'],
    ],
    code: [...(SAFE_HTML.attributes?.code ?? []), 'dataMeta'],
    img: [
      ...(SAFE_HTML.attributes?.img ?? []),
      ['className', 'dark:hidden', 'dark:block', 'hidden', 'block'],
    ],
    table: [...(SAFE_HTML.attributes?.table ?? []), ['dataView', 'cards']],
    th: [
      ...(SAFE_HTML.attributes?.th ?? []),
      ...['dataCardTarget', 'dataCardCover', 'dataCardCoverDark', 'dataHidden'],
    ],
  },
};
