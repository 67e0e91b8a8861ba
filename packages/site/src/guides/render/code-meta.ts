import type { Element } from 'hast';

/** The title in what stands behind a block's language: `title="a.js"`, or the words that are no option. */
export function codeTitle(meta: string): string {
  const [, double, single, plain] =
    /(?:^|\s)(?:title|filename)=(?:"([^"]*)"|'([^']*)'|(\S+))/.exec(meta) ?? [];
  const given = double ?? single ?? plain;
  if (given !== undefined) return given;
  return meta
    .replace(/[\w-]+=(?:"[^"]*"|'[^']*'|\{[^}]*\}|\S+)/g, ' ')
    .replace(/\{[^}]*\}/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !OPTIONS.has(word.toLowerCase()))
    .join(' ');
}

/** Words behind a language that are no title. */
const OPTIONS = new Set(
  'lines linenumbers showlinenumbers numberlines wrap expandable nocopy twoslash live static tab npm2yarn'.split(
    ' ',
  ),
);

/** The language of a `code` element; empty for none. */
export function languageOf(code: Element | undefined): string {
  const names = [code?.properties.className ?? []].flat().map(String);
  return names.find((name) => name.startsWith('language-'))?.slice('language-'.length) ?? '';
}
