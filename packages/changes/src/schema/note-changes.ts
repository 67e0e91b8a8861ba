import type { At } from '../api-document.ts';
import { type Announced, type DeprecationRule, lifecycleChanges } from '../lifecycle.ts';
import type { OtherCode } from '../rules.ts';
import { isEqual } from '../sameness.ts';
import type { NoteChange } from './schema-change.ts';
import type { SchemaView } from './schema-view.ts';

/** What is said of a schema, with the code of a change. */
const NOTES: readonly (readonly [name: string, code: OtherCode])[] = [
  ['title', 'title-changed'],
  ['description', 'description-changed'],
  ['example', 'example-changed'],
  ['examples', 'example-changed'],
  ['externalDocs', 'external-docs-changed'],
];

/** Changes of what is said of a schema. `example` of OpenAPI 3.0 and `examples` are one. */
export function noteChanges(
  { notes: old }: SchemaView,
  { notes: now }: SchemaView,
  rule: DeprecationRule,
): NoteChange[] {
  const changes: NoteChange[] = [];
  const told = new Set<OtherCode>();
  for (const [name, code] of NOTES) {
    const [before, after] = [said(old, name), said(now, name)];
    if (told.has(code) || isEqual(before?.value, after?.value)) continue;
    told.add(code);
    changes.push({ code, old: before?.at ?? null, new: after?.at ?? null });
  }
  for (const { code, is, said } of lifecycleChanges(announcedOf(old), announcedOf(now), rule)) {
    const at = (notes: ReadonlyMap<string, At>) =>
      (is === 'day' ? dayOf(notes) : notes.get('deprecated')) ?? null;
    changes.push({ code, old: at(old), new: at(now), ...(said && { said }) });
  }
  return changes;
}

function said(notes: ReadonlyMap<string, At>, name: string) {
  const at = notes.get(name);
  if (name === 'examples' && !at) {
    const one = notes.get('example');
    return one && { at: one, value: [one.value] };
  }
  if (name === 'example') return undefined;
  return at && { at, value: at.value };
}

const dayOf = (notes: ReadonlyMap<string, At>): At | undefined =>
  notes.get('x-deprecated-sunset') ?? notes.get('x-sunset');

/** What is said of a schema's removal. */
export const announcedOf = (notes: ReadonlyMap<string, At>): Announced => ({
  deprecated: notes.get('deprecated')?.value,
  sunset: dayOf(notes)?.value,
});
