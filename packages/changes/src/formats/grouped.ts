import type { Change, Side } from '../change.ts';
import { VERDICTS, type Verdict } from '../rules.ts';
import { oneLine } from './one-line.ts';

/** Changes that are one for a reader: of a shared part that several operations use. */
export interface ChangeGroup {
  readonly change: Change;
  /** The operations that it is told of; none where it is of the whole document. */
  readonly operations: readonly string[];
}

/** Changes by verdict, the gravest first, without verdicts that none has; those at the same places together. */
export function grouped(changes: readonly Change[]): [Verdict, ChangeGroup[]][] {
  return VERDICTS.flatMap((verdict): [Verdict, ChangeGroup[]][] => {
    const groups = new Map<string, { change: Change; operations: string[] }>();
    for (const change of changes) {
      if (change.verdict !== verdict) continue;
      const key = JSON.stringify([
        change.code,
        placeOf(change.old),
        placeOf(change.new),
        change.allowed,
      ]);
      const known = groups.get(key);
      const operations = change.operation === null ? [] : [change.operation];
      if (known && known.change.operation !== change.operation)
        known.operations.push(...operations);
      else groups.set(known ? `${key} ${groups.size}` : key, { change, operations });
    }
    return groups.size > 0 ? [[verdict, [...groups.values()]]] : [];
  });
}

const placeOf = (side: Side | null) => side && `${side.file}#${side.pointer}`;

/** How many operations are named where a change is of many. */
const MAX_NAMED = 3;

/** `GET /pets, POST /pets and 12 others`; of a change of the whole document an empty text. */
export function operationsInWords(operations: readonly string[]): string {
  const named = operations.slice(0, MAX_NAMED);
  const more = operations.length - named.length;
  if (more > 0) return `${named.join(', ')} and ${more} ${more === 1 ? 'other' : 'others'}`;
  return named.length > 1 ? `${named.slice(0, -1).join(', ')} and ${named.at(-1)}` : named.join('');
}

/** `3 breaking, 1 risky, 4 compatible, 2 of documentation`, or `No changes`. */
export function summaryInWords(summary: Readonly<Record<Verdict, number>>): string {
  const parts = VERDICTS.flatMap((verdict) => {
    const name = verdict === 'documentation' ? 'of documentation' : verdict;
    return summary[verdict] > 0 ? [`${summary[verdict].toLocaleString('en')} ${name}`] : [];
  });
  return parts.join(', ') || 'No changes';
}

/** Where a change is: in the new version, or else where it was. */
export const sideOf = ({ old, new: now }: Change): Side | null => now ?? old;

export const HEADINGS: Readonly<Record<Verdict, string>> = {
  breaking: 'Breaking',
  risky: 'Risky',
  compatible: 'Compatible',
  documentation: 'Documentation',
};

/** A change with its operation, as one line. */
export const sentenceOf = ({ operation, message }: Change): string =>
  `${operation === null ? '' : `${oneLine(operation)}: `}${oneLine(message)}`;
