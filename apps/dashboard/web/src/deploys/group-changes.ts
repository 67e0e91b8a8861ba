import type { DeployChanges } from '../../../server/src/deploys/deploy.ts';

type Change = DeployChanges['changes'][number];

/** Changes that are one for a reader: of a shared part that several operations use. */
export interface ChangeGroup {
  readonly key: string;
  readonly change: Change;
  /** The operations that it is told of; none where it is of the whole document. */
  readonly operations: readonly string[];
}

/** Changes in their order, those of the same kind at the same places together. */
export function groupChanges(changes: readonly Change[]): ChangeGroup[] {
  const groups = new Map<string, { key: string; change: Change; operations: string[] }>();
  for (const change of changes) {
    const { code, old, new: now, operation, allowed } = change;
    const sides = [old, now].map((side) => side && [side.file, side.pointer]);
    const place = JSON.stringify([code, sides, allowed]);
    const known = groups.get(place);
    const isOther = known && operation !== null && !known.operations.includes(operation);
    if (isOther) known.operations.push(operation);
    else {
      // Two of one operation at one place differ in what they say.
      const key = known ? `${place} ${groups.size}` : place;
      groups.set(key, { key, change, operations: operation === null ? [] : [operation] });
    }
  }
  return [...groups.values()];
}
