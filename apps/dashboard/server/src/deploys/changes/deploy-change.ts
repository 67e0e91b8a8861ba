import type { Change } from '@petstore/changes/change.ts';
import type { Code, Verdict } from '@petstore/changes/rules.ts';
import { count } from '@petstore/service/text.ts';
import type { ChangelogEntry } from '@petstore/site/changelog/changelog.ts';

/** How many changes of each verdict there are. */
export type ChangeCounts = Readonly<Record<Verdict, number>>;

/** A change of a deploy, with the pages of its operation in the old site and in the new one. */
export interface DeployChange extends Change {
  readonly pages: { readonly old: string | null; readonly new: string | null };
}

/** A deploy in words of another one. */
interface ComparedDeploy {
  readonly id: string;
  readonly number: number;
}

/** What is stored with a deploy of its comparison with the one that was shown where it was going to be. */
export interface DeployComparison {
  readonly against: ComparedDeploy;
  /** null where nothing was compared: neither has an OpenAPI document, or `problem` says why. */
  readonly changes: ChangeCounts | null;
  readonly problem: string | null;
  /** Which of the changes an exception of the project may allow. Absent once the deploy was live: then its counts stay. */
  readonly open?: readonly OpenChanges[];
}

/** Changes of one kind and operation that break clients, or may. */
export interface OpenChanges {
  readonly code: Code;
  readonly operation: string | null;
  readonly verdict: 'breaking' | 'risky';
  readonly number: number;
}

/** The changes as they are stored: JSON, as far as there is room. */
export interface StoredChanges {
  /** JSON: DeployChange[], the gravest first. */
  readonly changes: string;
  /** How many are left out at its end. */
  readonly leftOut: number;
}

export const NO_CHANGES: StoredChanges = { changes: '[]', leftOut: 0 };

/** What a comparison found: the changes, or why there is none. */
export type ComparisonOutcome =
  | {
      readonly counts: ChangeCounts;
      readonly open: readonly OpenChanges[];
      readonly stored: StoredChanges;
      /** For the changelog of the site. */
      readonly entries: readonly ChangelogEntry[];
      readonly notes: string[];
    }
  | { readonly incomparable: string };

/** `2 breaking and 1 compatible change`; `no changes`. The last number is the one that the noun follows. */
export function countsInWords(counts: Partial<ChangeCounts>): string {
  const verdicts = Object.entries(counts).filter(([, number]) => number > 0);
  if (verdicts.length === 0) return 'no changes';
  const last = verdicts.slice(-1).map(([verdict, number]) => count(number, `${verdict} change`));
  const others = verdicts.slice(0, -1).map(([verdict, number]) => `${number} ${verdict}`);
  return `${others.length > 0 ? `${others.join(', ')} and ` : ''}${last}`;
}
