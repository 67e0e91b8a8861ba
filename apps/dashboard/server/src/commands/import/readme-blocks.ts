import { hrefOf } from '@petstore/site/site/site-files.ts';
import type { Note } from './imported-site.ts';

/** Where links such as `doc:start` lead, by that and by the slug alone: a path of the site, or `operation:listPets`. */
export type SlugTargets = ReadonlyMap<string, string>;

/** Code, in which nothing is replaced; a block; a link to a page by its slug. */
const MARKS =
  /^ {0,3}(?<fence>`{3,}|~{3,})[^\n]*\n[\s\S]*?^ {0,3}\k<fence>[^\n]*$|`[^`\n]+`|\[block:(?<kind>[\w-]+)\][ \t]*\r?\n(?<json>[\s\S]*?)\r?\n\[\/block\]|<HTMLBlock[^>]*>\s*\{`(?<html>[\s\S]*?)`\}\s*<\/HTMLBlock>|<(?<end>\/?)table(?=[\s>])|\]\((?<place>doc|ref|page):(?<slug>[\w.-]+)(?<anchor>#[^)\s]*)?\)/gm;

/**
 * A page of ReadMe's in Markdown: its blocks (`[block:callout]…[/block]`) and its links by slug are rewritten, and
 * `excerpt` becomes `description`. What is not known stays as it is, with a note.
 */
export function rewritePage(
  text: string,
  file: string,
  targets: SlugTargets,
  notes: Note[],
): string {
  const noteAt = (offset: number, message: string) =>
    notes.push({ file, line: text.slice(0, offset).split('\n').length, message });
  const rewritten = text.replaceAll(MARKS, (whole: string, ...more: unknown[]) => {
    const groups = more.at(-1) as Record<string, string | undefined>;
    const offset = more.at(-3) as number;
    const { kind, json = '', place, slug, anchor = '', html, end } = groups;
    // The cells of its tables have Markdown, which those of HTML have not.
    if (end !== undefined) return `<${end}Table`;
    if (html !== undefined) {
      if (/<(?:style|script|link)\b/i.test(html))
        noteAt(
          offset,
          'A block of HTML has a style or a script: what is in it stays without them.',
        );
      return plainHtml(html);
    }
    if (slug !== undefined) {
      const target = targets.get(`${place}:${slug}`) ?? targets.get(slug);
      if (target !== undefined) return `](${target}${target.startsWith('/') ? anchor : ''})`;
      noteAt(offset, `There is no page \`${slug}\`: the link stays as it is, and leads nowhere.`);
    } else if (kind !== undefined) {
      const markdown = blockMarkdown(kind, json);
      if (markdown !== undefined) return markdown;
      noteAt(offset, `The block \`${kind}\` stays as it is: write it in Markdown.`);
    }
    return whole;
  });
  return rewritten.replace(/^---\r?\n[\s\S]*?\r?\n---/, (matter) =>
    /^description:/m.test(matter)
      ? matter
      : matter.replace(/^excerpt:(?=[ \t]*\S)/m, 'description:'),
  );
}

/** HTML that Markdown keeps whole: without styles and scripts, blank lines, and spaces that would make code of it. */
function plainHtml(html: string): string {
  const text = html
    .replaceAll(
      /<(style|script|title)\b[\s\S]*?<\/\1\s*>|<(?:link|meta)\b[^>]*>|<!doctype[^>]*>|<!--[\s\S]*?-->/gi,
      '',
    )
    .replaceAll(/<\/?(?:html|head|body)\b[^>]*>/gi, '')
    .replaceAll(/^[ \t]+|[ \t]+$/gm, '')
    .replaceAll(/\n{2,}/g, '\n')
    .trim();
  return `\n${text}\n`;
}

/** The address of a page, for a link. */
export const linkTo = (path: string): string => hrefOf(path);

type Block = Record<string, unknown>;

/** A block in Markdown; undefined where it cannot be read, or is of another kind. */
function blockMarkdown(kind: string, json: string): string | undefined {
  const write = Object.hasOwn(BLOCKS, kind) ? BLOCKS[kind] : undefined;
  try {
    const block: unknown = JSON.parse(json);
    const isBlock = typeof block === 'object' && block !== null && !Array.isArray(block);
    return isBlock ? write?.(block as Block) : undefined;
  } catch {
    return undefined;
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const member = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Block)[key] : undefined;

const BLOCKS: Readonly<Record<string, (block: Block) => string | undefined>> = {
  callout: ({ type, title, body }) => {
    const kind = { warning: 'WARNING', danger: 'CAUTION', success: 'TIP' }[text(type)] ?? 'NOTE';
    const head = text(title) === '' ? [] : [`**${text(title)}**`, ''];
    const lines = [`[!${kind}]`, ...head, ...text(body).split('\n')];
    return lines.map((line) => `> ${line}`.trimEnd()).join('\n');
  },
  code: ({ codes }) =>
    list(codes)
      .map((one) => {
        const code = text(member(one, 'code'));
        const name = text(member(one, 'name')).replaceAll('"', "'");
        // A fence is longer than any in the code.
        const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([marks]) => marks.length));
        const fence = '`'.repeat(longest + 1);
        const language = text(member(one, 'language')) || 'text';
        return `${fence}${language}${name && ` title="${name}"`}\n${code}\n${fence}`;
      })
      .join('\n\n'),
  image: ({ images }) =>
    list(images)
      .map((one) => {
        const [url, name, alt] = list(member(one, 'image'));
        const caption = text(member(one, 'caption'));
        const shown = text(alt) || text(name) || caption;
        return `![${shown.replaceAll(/[[\]]/g, '')}](<${text(url)}>)${caption && `\n\n${caption}`}`;
      })
      .join('\n\n'),
  parameters: ({ data, cols, rows }) => {
    const cell = (row: number | 'h', column: number) =>
      text(member(data, `${row}-${column}`))
        .replaceAll('|', '\\|')
        .replaceAll(/\r?\n/g, '<br>');
    const [width, height] = [Number(cols), Number(rows)];
    if (!(width > 0 && width <= MAX_CELLS && height >= 0 && height <= MAX_CELLS)) return undefined;
    const line = (row: number | 'h') =>
      `| ${Array.from({ length: width }, (_, column) => cell(row, column)).join(' | ')} |`;
    const rule = `|${' --- |'.repeat(width)}`;
    return [line('h'), rule, ...Array.from({ length: height }, (_, row) => line(row))].join('\n');
  },
  embed: ({ url, title }) => {
    const address = text(url);
    return address === '' ? undefined : `[${text(title) || address}](<${address}>)`;
  },
  'api-header': ({ title }) => `## ${text(title)}`,
  html: ({ html }) => text(html),
};

/** Of a table, in each direction. */
const MAX_CELLS = 1_000;
