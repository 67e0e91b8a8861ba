import { truncate } from '@petstore/service/text.ts';
import type { KnownDiagram, Link } from './reserved-height.ts';

/** What a diagram is, or why it cannot be drawn. */
export type ReadDiagram =
  | KnownDiagram
  | {
      readonly error: string;
      /** Counted from 1 in the diagram; undefined where Mermaid does not know it. */
      readonly line: number | undefined;
    };

/** A function of Mermaid's that reads a diagram as it is read before it is drawn. */
export type GetDiagram = (code: string) => Promise<{ readonly type: string; readonly db: object }>;

interface FlowDb {
  getEdges(): readonly Link[];
  getDirection(): string | undefined;
}

/** Reads a diagram with Mermaid's own parsers. */
export async function readDiagram(getDiagram: GetDiagram, code: string): Promise<ReadDiagram> {
  try {
    const { type, db } = await getDiagram(code);
    return type.startsWith('flowchart') ? flowchart(type, db as FlowDb) : { kind: type };
  } catch (error) {
    // Mermaid takes comments out before it counts lines. Empty ones in their place keep the number, where the mistake
    // is still the first.
    const message = await getDiagram(code.replace(COMMENTS, '')).then(
      () => messageOf(error),
      (again) => messageOf(again),
    );
    return { error: shortError(message), line: lineOf(message, code) };
  }
}

function flowchart(kind: string, db: FlowDb): KnownDiagram {
  const links = db.getEdges().map(({ start, end }) => ({ start, end }));
  return { kind, graph: { links, isAcross: /LR|RL/.test(db.getDirection() ?? '') } };
}

const COMMENTS = /^[ \t]*%%(?!\{).*$/gm;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** What is left out of what Mermaid parses: front matter and empty lines at the start. */
const BEFORE = /^(?:\s*---[ \t]*\r?\n[\s\S]*?\n[ \t]*---[ \t]*(?=\r?\n))?\s*/;

function lineOf(message: string, code: string): number | undefined {
  const [, line] = /\bon line (\d+)/.exec(message) ?? [];
  if (line === undefined) return undefined;
  const [before = ''] = BEFORE.exec(code.replace(COMMENTS, '')) ?? [];
  const wanted = Number(line) + before.split('\n').length - 1;
  // What is missing at the end is missed behind it.
  return Math.min(wanted, code.trimEnd().split('\n').length);
}

/** In letters: lists of all that could stand somewhere are long, and say little. */
const MAX_EXPECTED = 120;

const NO_KIND =
  'it does not begin with a kind of diagram, such as `flowchart` or `sequenceDiagram`';

/** In letters. */
const MAX_TOLD = 300;

/** Mermaid's message on one line, without the picture of the place, which the line's number says. */
function shortError(message: string): string {
  const lines = message.split('\n').map((line) => line.trim());
  const picture = lines.findIndex((line) => /^-+\^$/.test(line));
  if (message.startsWith('No diagram type detected')) return NO_KIND;
  const told = picture < 0 ? lines : lines.slice(picture + 1);
  const place = picture < 0 ? '' : `near \`${lines[picture - 1]}\``;
  const text = told.join(' ').replace("'1'", 'the end').trim();
  const [, found = ''] = /^Expecting .*, got (.*)$/.exec(text) ?? [];
  const reason = found && text.length > MAX_EXPECTED ? `unexpected ${found}` : text;
  return truncate([place, reason].filter((part) => part !== '').join(': '), MAX_TOLD);
}
