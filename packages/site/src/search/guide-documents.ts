import { prefix } from '@petstore/service/text.ts';
import type { BuildLog } from '../build-log.ts';
import type { RenderedPage } from '../guides/render/render-page.ts';
import { hrefOf } from '../site/site-files.ts';
import { PLAIN_DOCUMENT, type SearchDocument } from './search-document.ts';

/** How many letters of a section are stored to be shown; all of them are searched. */
const EXCERPT = 1_000;

/** Of more pages and sections than this, or more letters, a page is found as a whole. */
const MAX_DOCUMENTS = 25_000;
const ALL_LETTERS = 40_000_000;

/** How many letters are stored to be shown of a page that is found as a whole. */
const SHORT_EXCERPT = 300;

/**
 * The guides as the search finds them: each page, and each of its sections. Of a very large site it finds the pages
 * alone, by their headings and by the beginning of their texts, so that none is left out because others come before it.
 */
export function searchedGuides(pages: readonly RenderedPage[], log: BuildLog): SearchDocument[] {
  const found = pages.flatMap(guideDocuments);
  const letters = found.reduce((sum, { texts }) => sum + lettersOf(texts), 0);
  if (found.length <= MAX_DOCUMENTS && letters <= ALL_LETTERS) return found;
  const share = Math.floor(ALL_LETTERS / pages.length);
  let isCut = false;
  const whole = pages.map((page): SearchDocument => {
    const [own, ...sections] = guideDocuments(page);
    const text = [own, ...sections].flatMap((part) => part?.texts ?? []).join(' ');
    isCut ||= text.length > share;
    return {
      ...PLAIN_DOCUMENT,
      ...{ kind: 'page', title: page.title, href: hrefOf(page.path) },
      topics: sections.map(({ title }) => title).join(' '),
      excerpt: prefix(text, SHORT_EXCERPT),
      texts: [prefix(text, share)],
    };
  });
  const parts = `there are ${number(found.length)} pages and sections, and ${number(letters)} characters of text`;
  if (isCut) {
    const message = `There is more text than the search can hold: ${parts}. Of each page it finds the title, the headings and the first ${number(share)} characters.`;
    log({ rule: 'search-limit', message, file: '', path: '', line: null });
  } else log({ message: `The search finds pages as a whole: ${parts}.` });
  return whole;
}

const lettersOf = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length, 0);

const number = (value: number) => value.toLocaleString('en');

/** A guide as the search finds it: the page, and each of its sections. */
function guideDocuments({ title, description, path, sections }: RenderedPage): SearchDocument[] {
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
