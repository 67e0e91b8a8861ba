import type { ElementContent } from 'hast';
import { element, text } from './elements.ts';

// Lines of code that stand out.

type LineKind = 'highlight' | 'added' | 'removed' | 'focus';

export interface MarkedCode {
  /** Without the comments that mark lines. */
  readonly code: string;
  /** By the number of the line, 1 for the first. */
  readonly kinds: ReadonlyMap<number, LineKind>;
}

/** The kinds of `[!code …]`. */
const NOTATIONS: Readonly<Record<string, LineKind>> = {
  '++': 'added',
  '--': 'removed',
  highlight: 'highlight',
  hl: 'highlight',
  focus: 'focus',
};

/** A comment at the end of a line that marks it, and as many as it says: `// [!code ++:3]`. */
const NOTATION =
  /[ \t]*(?:\/\/|#|--|;|%|\/\*|<!--|\{\/\*)[ \t]*\[!code (\+\+|--|highlight|hl|focus)(?::(\d{1,4}))?\][ \t]*(?:\*\/\}?|-->)?[ \t]*$/;

/** A comment of its own line, as Docusaurus has them. */
const MAGIC =
  /^[ \t]*(?:\/\/|#|--|;|%|\/\*|<!--|\{\/\*)[ \t]*highlight-(next-line|start|end)[ \t]*(?:\*\/\}?|-->)?[ \t]*$/;

/** The most lines of a block that can be named. */
const MAX_LINES = 10_000;

/** Reads which lines stand out: by comments in the code, and by what stands behind its language (`{1,3-5}`). */
export function markedCode(source: string, meta: string): MarkedCode {
  const kinds = new Map<number, LineKind>();
  for (const line of namedLines(meta)) kinds.set(line, 'highlight');
  if (!/\[!code |highlight-/.test(source)) return { code: source, kinds };
  const lines: string[] = [];
  let next: { kind: LineKind; left: number } | undefined;
  for (const line of source.split('\n')) {
    const [whole, magic] = MAGIC.exec(line) ?? [];
    if (whole !== undefined) {
      const left = { 'next-line': 1, start: Number.POSITIVE_INFINITY, end: 0 }[magic ?? ''] ?? 0;
      next = { kind: 'highlight', left };
      continue;
    }
    const [mark, sign = '', count = '1'] = NOTATION.exec(line) ?? [];
    if (mark !== undefined) {
      const kind = NOTATIONS[sign] ?? 'highlight';
      const code = line.slice(0, line.length - mark.length);
      next = { kind, left: Number(count) };
      // A comment of its own marks the lines after it.
      if (code.trim() === '') continue;
      lines.push(code);
    } else lines.push(line);
    if (next && next.left > 0) {
      kinds.set(lines.length, next.kind);
      next.left -= 1;
    }
  }
  return { code: lines.join('\n'), kinds };
}

/** The lines of `{1,3-5}`, `highlight={1,3-5}` and `highlight="1,3-5"`. */
function namedLines(meta: string): number[] {
  const named =
    /(?:^|\s)(?:highlight|hl_lines)=["']?\{?([\d,\s-]+)/.exec(meta) ??
    /(?:^|\s)\{([\d,\s-]+)\}/.exec(meta);
  const lines: number[] = [];
  for (const part of (named?.[1] ?? '').split(/[,\s]+/)) {
    const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? [];
    for (let line = Number(from); line <= Number(to) && lines.length < MAX_LINES; line += 1)
      lines.push(line);
  }
  return lines;
}

/** Whether lines are numbered. */
export const hasLineNumbers = (meta: string): boolean =>
  /(?:^|\s)(?:lines|lineNumbers|showLineNumbers|numberLines)(?:=(?:\{?true\}?|"true"))?(?:\s|$)/i.test(
    meta,
  );

/** Each line of highlighted code as an element of its own, with the line's end in it. */
export function lineElements(
  children: readonly ElementContent[],
  kinds: MarkedCode['kinds'],
): ElementContent[] {
  const lines = splitLines(children);
  const last = lines.at(-1);
  if (last?.length === 0) lines.pop();
  return lines.map((line, at) => {
    const kind = kinds.get(at + 1);
    const className = ['line', ...(kind ? [`line-${kind}`] : [])];
    const said = kind === 'added' || kind === 'removed' ? { title: SAID[kind] } : {};
    return element('span', { className, ...said }, line);
  });
}

const SAID = { added: 'Added', removed: 'Removed' };

function splitLines(children: readonly ElementContent[]): ElementContent[][] {
  const lines: ElementContent[][] = [[]];
  const add = (parts: readonly ElementContent[][]) => {
    for (const [at, part] of parts.entries()) {
      if (at > 0) lines.push([]);
      lines.at(-1)?.push(...part);
    }
  };
  for (const child of children) {
    if (child.type === 'text') {
      const parts = child.value.split(/(?<=\n)/);
      if (child.value.endsWith('\n')) parts.push('');
      add(parts.map((part) => (part === '' ? [] : [text(part)])));
    } else if (child.type === 'element')
      add(
        splitLines(child.children).map((part) =>
          part.length === 0 ? [] : [{ ...child, children: part }],
        ),
      );
  }
  return lines;
}
