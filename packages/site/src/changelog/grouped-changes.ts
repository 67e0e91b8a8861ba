import type { ChangelogEntry, ListedChange } from './changelog.ts';

/** Changes of the same operations. */
export interface ChangeGroup {
  /** Names of operations: `GET /pets`; none for the whole document. */
  readonly operations: readonly string[];
  /** How many operations more there are. */
  readonly more: number;
  /** What is said of them, each with code between backticks. */
  readonly sentences: readonly string[];
}

/** Puts changes of the same operations together, in their order. */
export function groupedChanges(
  { operations }: ChangelogEntry,
  changes: readonly ListedChange[],
): ChangeGroup[] {
  const groups = Map.groupBy(changes, (change) => `${change.operations} ${change.more}`);
  return [...groups.values()].flatMap((all): ChangeGroup[] => {
    const [first] = all;
    if (!first) return [];
    const names = first.operations.flatMap((at) => operations[at]?.name ?? []);
    const sentences = all.map(({ message }) => shortSentence(message, names));
    return [{ operations: names, more: first.more, sentences }];
  });
}

/** A sentence below the name of its operation need not say it again: `Was added.` */
function shortSentence(message: string, [name]: readonly string[]): string {
  const beginning = `\`${name}\` `;
  if (name === undefined || !message.startsWith(beginning)) return message;
  const rest = message.slice(beginning.length);
  return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`;
}
