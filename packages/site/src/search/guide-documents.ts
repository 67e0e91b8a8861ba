import { prefix } from '@petstore/service/text.ts';
import type { RenderedPage } from '../guides/render/render-page.ts';
import { hrefOf } from '../site/site-files.ts';
import { PLAIN_DOCUMENT, type SearchDocument } from './search-document.ts';

/** How many letters of a section are stored to be shown; all of them are searched. */
const EXCERPT = 1_000;

/** A guide as the search finds it: the page, and each of its sections. */
export function guideDocuments({
  title,
  description,
  path,
  sections,
}: RenderedPage): SearchDocument[] {
  const [opening, ...others] = sections;
  // The text directly below the title belongs to the page, and is not a section.
  const isTitle = others[0]?.heading === title;
  const first = isTitle ? others.shift() : undefined;
  const text = [description, opening?.text, first?.text].filter(Boolean).join(' ');
  return [
    { ...PLAIN_DOCUMENT, kind: 'page', title, href: hrefOf(path), ...shown(text) },
    ...others.map(
      ({ id, heading, text }): SearchDocument => ({
        ...PLAIN_DOCUMENT,
        kind: 'section',
        title: heading,
        href: `${hrefOf(path)}#${encodeURI(id)}`,
        context: title,
        ...shown(text),
      }),
    ),
  ];
}

const shown = (text: string) => ({ excerpt: prefix(text, EXCERPT), texts: [text] });
