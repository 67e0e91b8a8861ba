import type { Child, Mode, SchemaChange, SchemaPairs } from './schema-change.ts';
import type { Conjunction, SchemaView } from './schema-view.ts';

/** Changes of an object's properties. Those that are on both sides are compared as children. */
export function* propertyChanges(
  comparison: SchemaPairs,
  old: SchemaView,
  now: SchemaView,
  { direction }: Mode,
  child: Child,
): Generator<SchemaChange> {
  const { old: oldViews, new: newViews } = comparison;
  const isSame: SchemaPairs['isSame'] = (one, other) => comparison.isSame(one, other);
  // Of most properties nothing has changed.
  const isKept = (name: string) => {
    const [one, other] = [old.properties.get(name), now.properties.get(name)];
    return one && other && isSame(one, other) && old.required.has(name) === now.required.has(name);
  };
  const kept = new Set([...old.properties.keys()].filter(isKept));
  const visible = (view: SchemaView, views: typeof oldViews) =>
    new Map(
      [...view.properties].filter(
        ([name, one]) => !kept.has(name) && !views.isLeftOut(one, direction),
      ),
    );
  const [before, after] = [visible(old, oldViews), visible(now, newViews)];
  for (const [name, one] of before) {
    const other = after.get(name);
    if (!other) {
      yield removed(name, one);
      continue;
    }
    child(`.${name}`, one, other);
    const [was, is] = [old.required.has(name), now.required.has(name)];
    if (was === is) continue;
    const step = `.${name}`;
    const [oldAt, newAt] = [oldViews.view(one).at, newViews.view(other).at];
    const marked = { old: old.required.get(name) ?? oldAt, new: now.required.get(name) ?? newAt };
    if (was) yield { fact: 'property-became-optional', step, ...marked };
    else if (newViews.view(other).notes.has('default'))
      yield { fact: 'property-with-default-became-required', step, ...marked };
    else yield { fact: 'property-became-required', step, ...marked };
  }
  for (const [name, one] of after) if (!before.has(name)) yield added(name, one);
  yield* unlisted();
  for (const pattern of new Set([...old.byPattern.keys(), ...now.byPattern.keys()])) {
    const step = `{${pattern}}`;
    // What no pattern names is allowed as other properties are.
    const one = old.byPattern.get(pattern) ?? old.additional ?? [];
    const other = now.byPattern.get(pattern) ?? now.additional ?? [];
    if (one && other) child(step, one, other);
    else if (one) {
      const fact = direction === 'request' ? 'property-refused' : 'property-removed';
      yield { fact, step, old: oldViews.view(one).at, new: null };
    } else if (other)
      yield { fact: 'property-allowed', step, old: null, new: newViews.view(other).at };
  }

  function removed(name: string, one: Conjunction): SchemaChange {
    const gone = oldViews.view(one);
    const isRequired = old.required.has(name);
    const isRefused = now.additional === false && !now.properties.has(name);
    const fact =
      isRefused && direction === 'request'
        ? 'property-refused'
        : isRequired
          ? 'required-property-removed'
          : 'property-removed';
    return { fact, step: `.${name}`, old: gone.at, new: null, gone };
  }

  function added(name: string, one: Conjunction): SchemaChange {
    const view = newViews.view(one);
    const step = `.${name}`;
    const made = { step, old: null, new: view.at };
    const wasRefused = old.additional === false && !old.properties.has(name);
    if (now.required.has(name)) {
      return view.notes.has('default')
        ? { fact: 'required-property-with-default-added', ...made }
        : { fact: 'required-property-added', ...made };
    }
    return { fact: wasRefused ? 'property-allowed' : 'property-added', ...made };
  }

  function* unlisted(): Generator<SchemaChange> {
    const [was, is] = [old.additional, now.additional];
    const at = {
      old: old.notes.get('additionalProperties') ?? old.at,
      new: now.notes.get('additionalProperties') ?? now.at,
    };
    if (was === false && is === false) return;
    if (was === false) yield { fact: 'additional-properties-allowed', ...at };
    else if (is === false) yield { fact: 'additional-properties-refused', ...at };
    else if (was || is) child('.*', was ?? [], is ?? []);
    // A name that is required without being listed.
    for (const name of new Set([...old.required.keys(), ...now.required.keys()])) {
      if (old.properties.has(name) || now.properties.has(name)) continue;
      const [one, other] = [old.required.get(name), now.required.get(name)];
      const step = `.${name}`;
      if (!one && other) yield { fact: 'property-became-required', step, old: old.at, new: other };
      if (one && !other) yield { fact: 'property-became-optional', step, old: one, new: now.at };
    }
  }
}
