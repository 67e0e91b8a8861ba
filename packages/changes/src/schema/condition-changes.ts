import type { At } from '../api-document.ts';
import type { Sameness } from '../sameness.ts';
import type { SchemaChange } from './schema-change.ts';
import type { SchemaView } from './schema-view.ts';

/** Conditions whose meaning depends on each other are one: `if`, `then` and `else`. */
const JOINED = new Set(['then', 'else']);

/** Changes of `not`, `if`, `contains` and the like: whether one is stricter than another is not decided. */
export function* conditionChanges(
  old: SchemaView,
  now: SchemaView,
  sameness: Sameness,
): Generator<SchemaChange> {
  const names = new Set([...old.conditions.keys(), ...now.conditions.keys()]);
  for (const name of names) {
    const [before, after] = [old.conditions.get(name), now.conditions.get(name)];
    if (before && after && sameness.isSame(before, after)) continue;
    if (before && after && isFree(before) && isFree(after)) continue;
    const said = { name: name.replace(/ .*$/, '') };
    if (before && after) yield { fact: 'constraint-changed', old: before, new: after, said };
    else if (JOINED.has(said.name) && old.conditions.has('if') && now.conditions.has('if'))
      yield { fact: 'constraint-changed', old: before ?? null, new: after ?? null, said };
    else if (after && !isFree(after))
      yield { fact: 'constraint-added', old: null, new: after, said };
    else if (before && !isFree(before))
      yield { fact: 'constraint-removed', old: before, new: null, said };
  }
}

/** Whether a condition allows everything: `unevaluatedProperties: true`. */
const isFree = ({ value }: At): boolean => value === true;
