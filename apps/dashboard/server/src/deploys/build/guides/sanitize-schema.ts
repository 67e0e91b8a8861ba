import { defaultSchema, type Options } from 'rehype-sanitize';

/**
 * What a page may hold: GitHub's rules, which know no script, style, form, frame or handler of events.
 * Ids stay as they are: see rehypeIds.
 */
export const SCHEMA: Options = {
  ...defaultSchema,
  tagNames: [
    ...(defaultSchema.tagNames ?? []).filter((name) => name !== 'picture' && name !== 'source'),
    'abbr',
    'figure',
    'figcaption',
    'mark',
  ],
  clobber: [],
  // Their text is not for people.
  strip: ['script', 'style', 'template', 'iframe', 'noscript', 'object'],
  attributes: {
    ...defaultSchema.attributes,
    abbr: ['title'],
    // The highlighting comes afterwards and puts in its own.
    code: [['className', /^language-[\w+#.-]{1,40}$/]],
  },
  protocols: {
    ...defaultSchema.protocols,
    href: ['http', 'https', 'mailto', 'tel', 'operation'],
    src: ['http', 'https'],
  },
};
