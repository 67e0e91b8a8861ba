import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { type At, memberOf, textIn } from '../api-document.ts';
import type { Child, Mode, SchemaChange, SchemaPairs } from './schema-change.ts';
import type { Conjunction, SchemaView, SchemaViews, Variants } from './schema-view.ts';
import { nullChanges } from './value-changes.ts';

/** Of more variants than these, not each is compared with each. */
const MAX_COMPARED = 60;

/** Whether one side has variants, and the other one is a single schema. */
export const isSplit = (old: SchemaView, now: SchemaView): boolean =>
  old.choices.length + now.choices.length === 1;

/**
 * Changes of `oneOf` and `anyOf`: variants that came and went. Those that stay are compared as children, whatever they
 * are called and in whichever order they are. Of a split schema these are all changes.
 */
export function* variantChanges(
  comparison: SchemaPairs,
  old: Conjunction,
  now: Conjunction,
  mode: Mode,
  child: Child,
): Generator<SchemaChange> {
  const [before, after] = [comparison.old.view(old), comparison.new.view(now)];
  const [ones, others] = [[...before.choices], [...after.choices]];
  // `type: [string, integer]` is an `anyOf` of the two.
  const isDivided = isSplit(before, after) && (isUnion(before) || isUnion(after));
  const divided = (choice: Variants, views: SchemaViews): Variants =>
    isDivided
      ? { ...choice, variants: choice.variants.flatMap((one) => byType(one, views)) }
      : choice;
  // Of several choices those that are alike are no change.
  for (const one of [...ones]) {
    const alike = others.find((other) => isAlike(comparison, one, other, mode));
    if (!alike) continue;
    ones.splice(ones.indexOf(one), 1);
    others.splice(others.indexOf(alike), 1);
    yield* discriminatorChanges(
      comparison,
      one,
      alike,
      pairs(comparison, one.variants, alike.variants, mode).matched,
    );
  }
  for (let at = 0; at < Math.max(ones.length, others.length); at += 1) {
    const [one, other] = [ones[at], others[at]];
    if (one && other) yield* between(comparison, one, other, mode, child);
    // What has no choice is the only variant itself.
    else if (one && isSplit(before, after))
      yield* between(
        comparison,
        divided(widened(one, old), comparison.old),
        divided(alone(now, one), comparison.new),
        mode,
        child,
      );
    else if (other && isSplit(before, after))
      yield* between(
        comparison,
        divided(alone(old, other), comparison.old),
        divided(widened(other, now), comparison.new),
        mode,
        child,
      );
    else if (one)
      yield { fact: 'constraint-removed', old: one.at, new: after.at, said: { name: one.kind } };
    else if (other)
      yield { fact: 'constraint-added', old: before.at, new: other.at, said: { name: other.kind } };
  }
  if (isDivided) yield* nullChanges(before, after);
}

/** Whether a schema without variants has several types. */
const isUnion = ({ types, choices }: SchemaView): boolean =>
  choices.length === 0 && types !== undefined && types.size > 1;

/** A schema for each type of one, without null. */
function byType(schema: Conjunction, views: SchemaViews): Conjunction[] {
  const { types, isNullable } = views.view(schema);
  if (!types || (types.size === 1 && !isNullable)) return [schema];
  return [...types].map((ofType) => schema.map((part) => ({ ...part, ofType })));
}

/** A choice whose variants have what stands beside it, too, each part once: a variant may contain itself. */
function widened(choice: Variants, holder: Conjunction): Variants {
  const beside = holder.map((part) => ({ ...part, withoutVariants: true }));
  const variants = choice.variants.map((one) => {
    const known = new Set(one.map(({ pointer }) => pointer));
    return [...one, ...beside.filter(({ pointer }) => !known.has(pointer))];
  });
  return { ...choice, variants };
}

const alone = (schema: Conjunction, { kind, at }: Variants): Variants => ({
  ...{ kind, at: schema[0] ?? at, discriminator: undefined },
  variants: [schema],
});

function isAlike(comparison: SchemaPairs, one: Variants, other: Variants, mode: Mode): boolean {
  if (one.variants.length !== other.variants.length) return false;
  const { matched } = pairs(comparison, one.variants, other.variants, mode);
  return (
    matched.length === one.variants.length &&
    matched.every(([old, now]) => comparison.isSameMeaning(old, now, mode))
  );
}

type Pair = readonly [Conjunction, Conjunction];

function* between(
  comparison: SchemaPairs,
  one: Variants,
  other: Variants,
  mode: Mode,
  child: Child,
): Generator<SchemaChange> {
  const { matched, gone, come } = pairs(comparison, one.variants, other.variants, mode);
  const isOnly = one.variants.length === 1 && other.variants.length === 1;
  for (const [old, now] of matched) child(isOnly ? '' : stepName(now, comparison.new), old, now);
  for (const old of gone) {
    // What it allowed may be allowed by another one.
    const isCovered = other.variants.some((now) => {
      const effect = comparison.effect(comparison.compare(old, now, mode));
      return effect === 'none' || effect === 'widens';
    });
    if (isCovered) continue;
    const said = { old: variantName(old, comparison.old) };
    yield { fact: 'variant-removed', old: comparison.old.view(old).at, new: other.at, said };
  }
  for (const now of come) {
    const isCovered = one.variants.some((old) => {
      const effect = comparison.effect(comparison.compare(old, now, mode));
      return effect === 'none' || effect === 'narrows';
    });
    if (isCovered) continue;
    const said = { new: variantName(now, comparison.new) };
    yield { fact: 'variant-added', old: one.at, new: comparison.new.view(now).at, said };
  }
  yield* discriminatorChanges(comparison, one, other, matched);
}

/** Which variant of the one document is which of the other. */
function pairs(
  comparison: SchemaPairs,
  olds: readonly Conjunction[],
  news: readonly Conjunction[],
  mode: Mode,
): { readonly matched: Pair[]; readonly gone: Conjunction[]; readonly come: Conjunction[] } {
  const matched: Pair[] = [];
  let [gone, come] = [[...olds], [...news]];
  const pair = (isPair: (old: Conjunction, now: Conjunction) => boolean) => {
    const left: Conjunction[] = [];
    for (const old of gone) {
      const at = come.findIndex((now) => isPair(old, now));
      if (at < 0) left.push(old);
      else matched.push([old, ...come.splice(at, 1)] as unknown as Pair);
    }
    gone = left;
  };
  const isSameName = (old: Conjunction, now: Conjunction) =>
    old[0]?.name !== undefined && old[0].name === now[0]?.name;
  pair((old, now) => isSameName(old, now) && comparison.isSame(old, now));
  pair((old, now) => comparison.isSame(old, now));
  const isFew = gone.length <= MAX_COMPARED && come.length <= MAX_COMPARED;
  if (isFew) {
    pair((old, now) => isSameName(old, now) && comparison.isSameMeaning(old, now, mode));
    pair((old, now) => mayBeSame(comparison, old, now) && comparison.isSameMeaning(old, now, mode));
  }
  pair(isSameName);
  pair((old, now) => {
    const title = titleOf(old, comparison.old);
    return title !== undefined && title === titleOf(now, comparison.new);
  });
  if (isFew) pair((old, now) => isSimilar(comparison, old, now));
  // A single schema became one of several, or the reverse: most likely the one that has most in common with it.
  const [old, now] = [gone[0], come[0]];
  if (old && now && (olds.length === 1 || news.length === 1)) {
    const common = (one: Conjunction, other: Conjunction) => inCommon(comparison, one, other);
    const [best] = gone
      .flatMap((one) => come.map((other) => ({ one, other, share: common(one, other) })))
      .sort((a, b) => b.share - a.share);
    if (best && (best.share > 0 || (olds.length === 1 && news.length === 1))) {
      matched.push([best.one, best.other]);
      gone = gone.filter((one) => one !== best.one);
      come = come.filter((other) => other !== best.other);
    }
  }
  return { matched, gone, come };
}

/** Whether two schemas can be of the same meaning, at a glance. */
function mayBeSame(comparison: SchemaPairs, old: Conjunction, now: Conjunction): boolean {
  const [one, other] = [comparison.old.view(old), comparison.new.view(now)];
  return (
    one.types?.size === other.types?.size &&
    one.properties.size === other.properties.size &&
    one.choices.length === other.choices.length &&
    [...one.properties.keys()].every((name) => other.properties.has(name))
  );
}

/** How many properties two schemas have in common. */
function inCommon(
  { old: oldViews, new: newViews }: SchemaPairs,
  old: Conjunction,
  now: Conjunction,
): number {
  const other = newViews.view(now).properties;
  return [...oldViews.view(old).properties.keys()].filter((name) => other.has(name)).length;
}

/** Whether two schemas are most likely versions of one: of one simple type, or with mostly the same properties. */
function isSimilar(comparison: SchemaPairs, old: Conjunction, now: Conjunction): boolean {
  const [one, other] = [comparison.old.view(old), comparison.new.view(now)];
  const [types, others] = [[...(one.types ?? [])].sort(), [...(other.types ?? [])].sort()];
  if (types.join() !== others.join()) return false;
  if (one.properties.size + other.properties.size === 0)
    return types.length > 0 && types[0] !== 'object' && old[0]?.name === now[0]?.name;
  return inCommon(comparison, old, now) * 2 > Math.max(one.properties.size, other.properties.size);
}

const titleOf = (parts: Conjunction, views: SchemaViews): string | undefined => {
  const title = views.view(parts).notes.get('title')?.value;
  return typeof title === 'string' ? title : undefined;
};

/** A variant on the way to a place in it: one without a name leads further by its properties. */
function stepName(parts: Conjunction, views: SchemaViews): string {
  const name = parts[0]?.name ?? titleOf(parts, views);
  return name === undefined ? '' : `(${name})`;
}

/** What a variant is called in a sentence: the type that it is of several, its model, its title or its type. */
function variantName(parts: Conjunction, views: SchemaViews): string {
  const { types, at } = views.view(parts);
  const [part] = parts;
  return (
    part?.ofType ??
    part?.name ??
    titleOf(parts, views) ??
    ([...(types ?? [])].join(' or ') || at.pointer)
  );
}

function* discriminatorChanges(
  comparison: SchemaPairs,
  one: Variants,
  other: Variants,
  matched: readonly Pair[],
): Generator<SchemaChange> {
  const [old, now] = [one.discriminator, other.discriminator];
  const [name, nextName] = [old && textIn(old, 'propertyName'), now && textIn(now, 'propertyName')];
  if (name !== nextName) {
    const said = { old: name ?? 'none', new: nextName ?? 'none' };
    yield { fact: 'discriminator-changed', old: old ?? one.at, new: now ?? other.at, said };
    return;
  }
  if (!old || !now || name === undefined) return;
  for (const [before, after] of matched) {
    const [was, is] = [
      valuesFor(before, old, name, comparison.old),
      valuesFor(after, now, name, comparison.new),
    ];
    // What the property itself allows is compared with the variant.
    if (!was || !is || was.join() === is.join()) continue;
    const said = { old: was.join(', '), new: is.join(', ') };
    yield { fact: 'discriminator-value-changed', old, new: now, said };
  }
}

/** The values of the discriminator for a variant: mapped ones, or the model's name. undefined where the property says it. */
function valuesFor(
  variant: Conjunction,
  discriminator: At,
  name: string,
  views: SchemaViews,
): string[] | undefined {
  const property = views.view(variant).properties.get(name);
  if (property && views.view(property).values) return undefined;
  const mapping = memberOf(discriminator, 'mapping');
  const entries = mapping && isObject(mapping.value) ? Object.entries(mapping.value) : [];
  const [part] = variant;
  const mapped = entries.flatMap(([value, target]) => {
    const isThis =
      typeof target === 'string' &&
      (target === part?.name || target.replace(/^#/, '') === part?.pointer);
    return isThis ? [value] : [];
  });
  if (mapped.length > 0) return mapped.sort();
  return part?.name === undefined ? undefined : [part.name];
}
