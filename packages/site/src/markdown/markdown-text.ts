import { truncate } from '@petstore/service/text.ts';
import { isObject, textOf } from '../openapi/openapi-types.ts';
import { hrefOf, markdownPath } from '../site/site-files.ts';

/** Markdown on one line for a table's cell, which it cannot end. */
export function cell(markdown: string): string {
  return markdown.replaceAll('|', '\\|');
}

/** Text on one line that cannot begin HTML. */
export function inline(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('<', '&lt;').trim();
}

/** Plain text, such as a title, to stand in Markdown. */
export function literal(text: string): string {
  return inline(text.replace(/[\\`*_[\]#]/g, '\\$&'));
}

/** Code on one line, whatever backticks it has (CommonMark, section 6.1). */
export function code(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = /^`|`$|^ .* $/.test(line) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A block of code. Nothing in the code can end it. */
export function codeBlock(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(2, longestRun(text)) + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

/** Blocks with an empty line between them. Empty ones are left out. */
export function joined(blocks: readonly string[]): string {
  return blocks.filter(Boolean).join('\n\n');
}

/** A list; empty where there are no items. */
export function bulletList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

/** In letters. Some documents have whole paragraphs as titles. */
const MAX_TITLE = 120;

/** An item of a list: a page's title as a link to its Markdown, and what it is about. */
export function pageLink(title: string, path: string, about: string, origin = ''): string {
  return `- [${literal(truncate(title, MAX_TITLE))}](${origin}${destination(markdownPath(path))})${about ? `: ${literal(about)}` : ''}`;
}

/** A path as the destination of a link, where brackets would end it. */
export function destination(path: string): string {
  return hrefOf(path).replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'));
}

/** Markdown of others, with its last block of code ended, so that what follows it is not code. */
export function closed(markdown: string): string {
  let open: string | undefined;
  for (const [, fence = '', info = ''] of markdown.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (open === undefined) open = fence;
    else if (fence.startsWith(open) && info.trim() === '') open = undefined;
  }
  return open === undefined ? markdown : `${markdown}\n${open}`;
}

/** An External Documentation Object as a sentence; empty for none. */
export function externalDocs(given: unknown): string {
  const { url, description } = isObject(given) ? given : {};
  const about = inline(textOf(description));
  return textOf(url) === '' ? '' : `More: ${about ? `${about}, ` : ''}${code(textOf(url))}`;
}

/** The longest run of backticks. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
