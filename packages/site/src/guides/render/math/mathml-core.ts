import type { Element, Root } from 'hast';
import { toString as textOf } from 'hast-util-to-string';
import { visitElements } from '../../../markdown/visit.ts';

/**
 * Says in MathML Core, which is all that Chromium draws, what KaTeX says in MathML 3: alphabets become letters of their
 * own, and the lines and columns of tables become classes, which the style draws.
 */
export function drawForBrowsers(tree: Root): void {
  visitElements(tree, (node) => {
    const { mathvariant } = node.properties;
    if (typeof mathvariant === 'string' && mathvariant !== 'normal') inAlphabet(node, mathvariant);
    if (node.tagName === 'mtable') markTable(node);
  });
}

/** The alphabets of the block of mathematical letters in their order, each with A to Z and a to z. */
const ALPHABETS = [
  'bold',
  'italic',
  'bold-italic',
  'script',
  'bold-script',
  'fraktur',
  'double-struck',
  'bold-fraktur',
  'sans-serif',
  'bold-sans-serif',
  'sans-serif-italic',
  'sans-serif-bold-italic',
  'monospace',
];
const FIRST_LETTER = 0x1d400;

const DIGITS = ['bold', 'double-struck', 'sans-serif', 'bold-sans-serif', 'monospace'];
const FIRST_DIGIT = 0x1d7ce;

/** Letters that Unicode had before that block, which has holes in their places. */
const OLDER: Readonly<Record<string, string>> = {
  italic: 'hℎ',
  script: 'BℬEℰFℱHℋIℐLℒMℳRℛeℯgℊoℴ',
  fraktur: 'CℭHℌIℑRℜZℨ',
  'double-struck': 'CℂHℍNℕPℙQℚRℝZℤ',
};

/** Letters that have no such alphabet, as Greek ones, get the style of it. */
function inAlphabet(node: Element, variant: string): void {
  const letters = [...textOf(node)];
  const made = letters.map((letter) => letterOf(letter, variant));
  delete node.properties.mathvariant;
  if (made.every((letter) => letter !== undefined)) {
    node.children = [{ type: 'text', value: made.join('') }];
  } else node.properties.className = variant.split('-').map((part) => `math-${part}`);
}

function letterOf(letter: string, variant: string): string | undefined {
  const older = OLDER[variant] ?? '';
  const at = [...older].indexOf(letter);
  if (at >= 0 && at % 2 === 0) return [...older][at + 1];
  const alphabet = ALPHABETS.indexOf(variant);
  const place = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.indexOf(letter);
  if (alphabet >= 0 && place >= 0) {
    return String.fromCodePoint(FIRST_LETTER + alphabet * 52 + place);
  }
  const digits = DIGITS.indexOf(variant);
  if (digits >= 0 && /^[0-9]$/.test(letter)) {
    return String.fromCodePoint(FIRST_DIGIT + digits * 10 + Number(letter));
  }
  return undefined;
}

/** Says in classes of cells and rows where a table has lines, where its columns touch, and how they are aligned. */
function markTable(table: Element): void {
  const { columnAlign, columnLines, columnSpacing, rowLines } = attributesOf(table);
  for (const [at, row] of elementsOf(table).entries()) {
    if (isLine(before(rowLines, at))) row.properties.className = ['math-line-above'];
    for (const [column, cell] of elementsOf(row).entries()) {
      const align = before(columnAlign, column + 1);
      const classes = [
        ...(align === 'left' || align === 'right' ? [`math-${align}`] : []),
        ...(isLine(before(columnLines, column)) ? ['math-line-before'] : []),
        ...(before(columnSpacing, column) === '0em' ? ['math-touching'] : []),
      ];
      if (classes.length > 0) cell.properties.className = classes;
    }
  }
}

/** Each is a list of words. Those of spaces and lines have one less than there are columns or rows. */
function attributesOf({ properties }: Element) {
  const words = (name: string) => String(properties[name] ?? '').split(/\s+/);
  return {
    columnAlign: words('columnalign'),
    columnLines: words('columnlines'),
    columnSpacing: words('columnspacing'),
    rowLines: words('rowlines'),
  };
}

const elementsOf = ({ children }: Element) => children.filter((child) => child.type === 'element');

/** The word for what is before a column or row, if anything is. The last word holds for all that follow. */
const before = (words: readonly string[], at: number) =>
  at > 0 ? words[Math.min(at, words.length) - 1] : undefined;

const isLine = (word: string | undefined) => word === 'solid' || word === 'dashed';
