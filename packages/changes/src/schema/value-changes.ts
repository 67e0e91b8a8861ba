import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import type { At } from '../api-document.ts';
import type { SchemaFact } from '../rules.ts';
import { isEqual } from '../sameness.ts';
import { isEqualAt, type Mode, type SchemaChange } from './schema-change.ts';
import { allowsType, limitOf, type SchemaView, TIGHTER } from './schema-view.ts';

/** Changes of types, values and limits. */
export function* valueChanges(
  old: SchemaView,
  now: SchemaView,
  mode: Mode,
): Generator<SchemaChange> {
  yield* typeChanges(old, now, mode);
  if (!saysOnlyType(old, now)) yield* nullChanges(old, now);
  yield* enumChanges(old, now);
  yield* limitChanges(old, now);
  // With another type the format is another one anyway.
  if (typeFact(old, now, mode.form === 'text') === undefined) yield* formatChanges(old, now);
  yield* patternChanges(old, now);
  yield* defaultChanges(old, now);
  for (const name of ['contentEncoding', 'contentMediaType'])
    yield* single(old, now, name, 'content-encoding-changed');
  if (mode.form === 'xml' && !isEqualAt(old.notes.get('xml'), now.notes.get('xml')))
    yield {
      fact: 'xml-changed',
      old: old.notes.get('xml') ?? old.at,
      new: now.notes.get('xml') ?? now.at,
    };
}

/** Whether null came or went. */
export function* nullChanges(old: SchemaView, now: SchemaView): Generator<SchemaChange> {
  if (old.isNullable === now.isNullable) return;
  const fact = now.isNullable ? 'null-allowed' : 'null-refused';
  yield { fact, old: old.notes.get('type') ?? old.at, new: now.notes.get('type') ?? now.at };
}

/** Whether null came or went with all types: then the types say it. */
const saysOnlyType = (old: SchemaView, now: SchemaView): boolean =>
  (old.types === undefined) !== (now.types === undefined);

function* typeChanges(old: SchemaView, now: SchemaView, { form }: Mode): Generator<SchemaChange> {
  const places = { old: old.notes.get('type') ?? old.at, new: now.notes.get('type') ?? now.at };
  const said = { old: typeNames(old), new: typeNames(now) };
  const fact = typeFact(old, now, form === 'text');
  if (fact) yield { fact, ...places, said };
}

function typeFact(old: SchemaView, now: SchemaView, isText: boolean): SchemaFact | undefined {
  const [before, after] = [old.types, now.types];
  if (before === after) return undefined;
  if (before === undefined) return implied(old, after) ? undefined : 'type-narrowed';
  if (after === undefined) return implied(now, before) ? undefined : 'type-widened';
  const isIn = (types: ReadonlySet<string>, others: ReadonlySet<string>, isFree: boolean) =>
    [...types].every(
      (one) =>
        allowsType(others, one) || (isText && isFree && others.has('string') && isScalar(one)),
    );
  const keeps = isIn(before, after, isFreeText(now));
  const isKept = isIn(after, before, isFreeText(old));
  if (keeps && isKept) return undefined;
  if (keeps) return 'type-widened';
  return isKept ? 'type-narrowed' : 'type-changed';
}

const isScalar = (type: string): boolean =>
  ['integer', 'number', 'boolean', 'string'].includes(type);

/** Whether every text is allowed. */
const isFreeText = (view: SchemaView): boolean =>
  view.values === undefined && view.patterns.size === 0 && !view.keywords.has('format');

/** Whether a schema without a type has those types alone all the same: by its values, or its variants. */
function implied(view: SchemaView, types: ReadonlySet<string> | undefined): boolean {
  if (!types) return false;
  if (view.values && view.values.size > 0)
    return [...view.values.values()].every(({ value }) => allowsType(types, typeOf(value)));
  // The variants say it, and are compared.
  return view.choices.length > 0;
}

function typeOf(value: unknown): string {
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (Array.isArray(value)) return 'array';
  return isObject(value) ? 'object' : typeof value;
}

const typeNames = ({ types }: SchemaView): string =>
  types === undefined ? 'anything' : [...types].join(' or ') || 'nothing';

function* enumChanges(old: SchemaView, now: SchemaView): Generator<SchemaChange> {
  const [before, after] = [old.values, now.values];
  if (!before && !after) return;
  const places = { old: old.notes.get('enum') ?? old.at, new: now.notes.get('enum') ?? now.at };
  if (!before) {
    yield {
      fact: 'enum-added',
      ...places,
      said: { new: [...(after ?? [])].map(([, { value }]) => value) },
    };
  } else if (!after) {
    yield {
      fact: 'enum-removed',
      ...places,
      said: { old: [...before].map(([, { value }]) => value) },
    };
  } else {
    for (const [key, at] of before)
      if (!after.has(key))
        yield { fact: 'enum-value-removed', old: at, new: places.new, said: { old: at.value } };
    for (const [key, at] of after)
      if (!before.has(key))
        yield { fact: 'enum-value-added', old: places.old, new: at, said: { new: at.value } };
  }
}

function* limitChanges(old: SchemaView, now: SchemaView): Generator<SchemaChange> {
  for (const [name, isTighter] of TIGHTER) {
    const [before, after] = [old.keywords.get(name), now.keywords.get(name)];
    if (isEqualAt(before, after)) continue;
    // `exclusiveMinimum: 0` instead of `minimum: 0`, and the like: told once, as the one that is there now.
    const twin = twinOf(name);
    if (twin && !before && old.keywords.has(twin) && !old.keywords.has(name)) {
      const bound = old.keywords.get(twin) as At;
      const fact = compareTwins([twin, bound], [name, after], isWhole(old) && isWhole(now));
      if (fact) yield limit(name, bound, after, fact);
    } else if (twin && !after && now.keywords.has(twin)) continue;
    else if (!before) yield limit(name, before, after, 'limit-tightened', old.at, now.at);
    else if (!after) yield limit(name, before, after, 'limit-loosened', old.at, now.at);
    else {
      const fact = isTighter(limitOf(after), limitOf(before))
        ? 'limit-tightened'
        : 'limit-loosened';
      yield limit(name, before, after, fact);
    }
  }
  const [before, after] = [old.keywords.get('multipleOf'), now.keywords.get('multipleOf')];
  if (!isEqualAt(before, after))
    yield limit('multipleOf', before, after, multiples(before, after), old.at, now.at);
  const [was, is] = [old.keywords.get('uniqueItems'), now.keywords.get('uniqueItems')];
  if (was && !is) yield limit('uniqueItems', was, is, 'limit-loosened', old.at, now.at);
  if (!was && is) yield limit('uniqueItems', was, is, 'limit-tightened', old.at, now.at);
}

function twinOf(name: string): string | undefined {
  const twins: Record<string, string> = {
    minimum: 'exclusiveMinimum',
    exclusiveMinimum: 'minimum',
    maximum: 'exclusiveMaximum',
    exclusiveMaximum: 'maximum',
  };
  return twins[name];
}

type Limit = readonly [name: string, at: At | undefined];

/** A limit that excludes its value, compared with one that does not. undefined: both allow the same. */
function compareTwins(before: Limit, after: Limit, areWhole: boolean): SchemaFact | undefined {
  const [name] = after;
  const [was, is] = areWhole
    ? [lastWhole(before), lastWhole(after)]
    : [limitOf(before[1]), limitOf(after[1])];
  const isTighter = TIGHTER.get(name);
  if (isTighter?.(is, was)) return 'limit-tightened';
  if (isTighter?.(was, is)) return 'limit-loosened';
  if (areWhole) return undefined;
  return name.startsWith('exclusive') ? 'limit-tightened' : 'limit-loosened';
}

const isWhole = ({ types }: SchemaView): boolean => types?.size === 1 && types.has('integer');

/** The last integer that a limit allows: 1 for `exclusiveMinimum: 0`. */
function lastWhole([name, at]: Limit): number | bigint {
  const value = limitOf(at);
  const isExclusive = name.startsWith('exclusive');
  const isLower = /minimum$/i.test(name);
  if (typeof value === 'bigint') return isExclusive ? value + (isLower ? 1n : -1n) : value;
  const whole = isLower ? Math.ceil(value) : Math.floor(value);
  return isExclusive && whole === value ? whole + (isLower ? 1 : -1) : whole;
}

const limit = (
  name: string,
  before: At | undefined,
  after: At | undefined,
  fact: SchemaFact,
  oldHolder: At | null = null,
  newHolder: At | null = null,
): SchemaChange => ({
  ...{ fact, old: before ?? oldHolder, new: after ?? newHolder },
  said: { name, old: before ? before.value : 'none', new: after ? after.value : 'none' },
});

function multiples(before: At | undefined, after: At | undefined): SchemaFact {
  if (!before) return 'limit-tightened';
  if (!after) return 'limit-loosened';
  if (isMultiple(after, before)) return 'limit-tightened';
  return isMultiple(before, after) ? 'limit-loosened' : 'limit-changed';
}

/** Whether one decimal is a multiple of another. As numbers, 0.3 divided by 0.1 is 2.9999999999999996. */
function isMultiple(one: At, other: At): boolean {
  const [a, b] = [decimalOf(one), decimalOf(other)];
  if (!a || !b || b.digits === 0n) return false;
  const least = Math.min(a.exponent, b.exponent);
  const [whole, part] = [a, b].map(
    ({ digits, exponent }) => digits * 10n ** BigInt(exponent - least),
  );
  return (whole as bigint) % (part as bigint) === 0n;
}

/** 0.25 is 25 times 10 to the power of -2. */
function decimalOf(at: At): { readonly digits: bigint; readonly exponent: number } | undefined {
  const found = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(limitOf(at)));
  if (!found) return undefined;
  const [, whole, fraction = '', exponent = '0'] = found;
  return { digits: BigInt(`${whole}${fraction}`), exponent: Number(exponent) - fraction.length };
}

/** Formats whose values are all values of another one. */
const NARROWER: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64'],
  float: ['double'],
  'uri-reference': ['iri-reference'],
  uri: ['uri-reference', 'iri', 'iri-reference'],
  email: ['idn-email'],
  hostname: ['idn-hostname'],
};

function* formatChanges(old: SchemaView, now: SchemaView): Generator<SchemaChange> {
  const [before, after] = [old.keywords.get('format'), now.keywords.get('format')];
  if (isEqualAt(before, after)) return;
  const said = { old: before?.value, new: after?.value };
  const [was, is] = [String(before?.value), String(after?.value)];
  const places = { old: before ?? old.at, new: after ?? now.at };
  if (!before) yield { fact: 'format-added', ...places, said };
  else if (!after) yield { fact: 'format-removed', ...places, said };
  else if (NARROWER[is]?.includes(was)) yield { fact: 'format-narrowed', ...places, said };
  else if (NARROWER[was]?.includes(is)) yield { fact: 'format-widened', ...places, said };
  else yield { fact: 'format-changed', ...places, said };
}

function* patternChanges(old: SchemaView, now: SchemaView): Generator<SchemaChange> {
  const gone = [...old.patterns].filter(([pattern]) => !now.patterns.has(pattern));
  const come = [...now.patterns].filter(([pattern]) => !old.patterns.has(pattern));
  for (let at = 0; at < Math.max(gone.length, come.length); at += 1) {
    const [before, after] = [gone[at]?.[1], come[at]?.[1]];
    const said = { old: before?.value, new: after?.value };
    const places = { old: before ?? old.at, new: after ?? now.at };
    if (before && after) yield { fact: 'pattern-changed', ...places, said };
    else yield { fact: after ? 'pattern-added' : 'pattern-removed', ...places, said };
  }
}

function* defaultChanges(old: SchemaView, now: SchemaView): Generator<SchemaChange> {
  const [before, after] = [old.notes.get('default'), now.notes.get('default')];
  if (before && after && isEqual(before.value, after.value)) return;
  const said = { old: before?.value, new: after?.value };
  if (before && after) yield { fact: 'default-changed', old: before, new: after, said };
  else if (after) yield { fact: 'default-added', old: old.at, new: after, said };
  else if (before) yield { fact: 'default-removed', old: before, new: now.at, said };
}

function* single(
  old: SchemaView,
  now: SchemaView,
  name: string,
  fact: SchemaFact,
): Generator<SchemaChange> {
  const [before, after] = [old.keywords.get(name), now.keywords.get(name)];
  if (isEqualAt(before, after)) return;
  const said = { name, old: before?.value ?? 'none', new: after?.value ?? 'none' };
  yield { fact, old: before ?? old.at, new: after ?? now.at, said };
}
