import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { toJson } from '@petstore/site/syntax/exact-text.ts';
import { toPointer } from '@petstore/site/syntax/source.ts';
import { namesOf, type PartialDocument } from './operation-document.ts';
import { type Reference, referencesIn, rewrite } from './references.ts';

/** An operation of up to this many bytes, with all references replaced, keeps none. */
const MAX_WHOLE_BYTES = 48_000;

/** In a larger one, what has more bytes than this is defined once. */
const MAX_INLINE_BYTES = 1_500;

/** Bytes of the definitions together. More would fill the reader's context. */
const MAX_DEFINITION_BYTES = 100_000;

/** About how many bytes a reference has that stays. */
const REFERENCE_BYTES = 40;

export interface ResolvedSchemas {
  readonly value: unknown;
  /** By their names, as `#/definitions/NAME` refers to them. */
  readonly definitions: ReadonlyMap<string, unknown>;
  /** The names of definitions that would be too much. */
  readonly omitted: readonly string[];
}

/**
 * Replaces references by what they refer to. Those stay that lead back to themselves, those among which a discriminator
 * chooses by name, and in a large operation those to what is large: they refer to `#/definitions/NAME` then, where each
 * is defined once.
 */
export function resolveSchemas(document: PartialDocument, value: unknown): ResolvedSchemas {
  const pointerOf = (target: string) => mappedPointer(document, target);
  const { targets, choices } = readTargets(document, value, pointerOf);
  const kept = recursiveOnes(targets).union(choices);
  const all = sizesOf(targets, kept, Number.POSITIVE_INFINITY);
  const isSmall = sizeWith(value, all, kept) <= MAX_WHOLE_BYTES;
  if (!isSmall) sizesOf(targets, kept, MAX_INLINE_BYTES);

  const names = namesFor(kept);
  const wanted = new Map<string, Target>();
  /** The reference to a definition, which is wanted then; undefined where there is none. */
  const defined = (pointer: string): string | undefined => {
    const name = names.get(pointer);
    const target = targets.get(pointer);
    if (name === undefined || !target) return undefined;
    wanted.set(name, target);
    return `#/definitions/${escaped(name)}`;
  };
  const resolve = (part: unknown): unknown =>
    rewrite(part, {
      reference: (reference) => {
        const target = targets.get(reference.$ref);
        if (!target) return reference;
        const $ref = defined(reference.$ref);
        return $ref === undefined
          ? merged(resolve(target.value), reference)
          : { ...reference, $ref };
      },
      mapped: (target) => defined(pointerOf(target)) ?? target,
    });

  const resolved = resolve(value);
  const definitions = new Map<string, unknown>();
  const omitted: string[] = [];
  let left = MAX_DEFINITION_BYTES;
  // A map goes on with what is added to it meanwhile.
  for (const [name, target] of wanted) {
    const definition = resolve(target.value);
    left -= toJson(definition, 0).length;
    if (left < 0) omitted.push(name);
    else definitions.set(name, definition);
  }
  return { value: resolved, definitions, omitted };
}

interface Target {
  readonly value: unknown;
  /** The pointers of other targets that it refers to. */
  readonly references: ReadonlySet<string>;
}

type Targets = ReadonlyMap<string, Target>;

/**
 * What a part refers to, directly and through others, by pointer, and which of it discriminators choose among. What
 * cannot be had is left out.
 */
function readTargets(
  document: PartialDocument,
  value: unknown,
  pointerOf: (target: string) => string,
): { readonly targets: Targets; readonly choices: ReadonlySet<string> } {
  const targets = new Map<string, Target>();
  const own = referencesIn(value, pointerOf);
  const pointers = new Set(own.all);
  const choices = new Set(own.choices);
  for (const pointer of pointers) {
    const found = document.at(pointer);
    if (found === undefined) continue;
    const references = referencesIn(found, pointerOf);
    targets.set(pointer, { value: found, references: references.all });
    for (const reference of references.all) pointers.add(reference);
    for (const choice of references.choices) choices.add(choice);
  }
  return { targets, choices };
}

/** A `mapping` names a schema, or refers to one (OpenAPI 3.1.1, “Discriminator Object”): what is both is a name. */
function mappedPointer(document: PartialDocument, target: string): string {
  const names = ['components', 'schemas', target];
  return document.has(names) ? `#${toPointer(names)}` : target;
}

/** Those that lead back to themselves, and those between two such. */
function recursiveOnes(targets: Targets): Set<string> {
  const forwards = new Map([...targets].map(([pointer, { references }]) => [pointer, references]));
  const leading = withoutEnds(forwards);
  const backwards = new Map([...leading].map((pointer) => [pointer, new Set<string>()]));
  for (const pointer of leading) {
    for (const reference of forwards.get(pointer) ?? []) backwards.get(reference)?.add(pointer);
  }
  return withoutEnds(backwards);
}

/** What remains when those that lead to none of the others are taken away again and again. */
function withoutEnds(graph: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const remaining = new Set(graph.keys());
  for (const pointer of leavesFirst(graph)) remaining.delete(pointer);
  return remaining;
}

/** The nodes of a graph that lead to no cycle, each after all that it leads to. */
function* leavesFirst(graph: ReadonlyMap<string, ReadonlySet<string>>): Generator<string> {
  const open = new Map<string, number>();
  const users = new Map<string, string[]>();
  const ends: string[] = [];
  for (const [node, next] of graph) {
    const known = [...next].filter((one) => graph.has(one));
    open.set(node, known.length);
    if (known.length === 0) ends.push(node);
    for (const one of known) {
      const list = users.get(one);
      if (list) list.push(node);
      else users.set(one, [node]);
    }
  }
  for (let node = ends.pop(); node !== undefined; node = ends.pop()) {
    yield node;
    for (const user of users.get(node) ?? []) {
      const left = (open.get(user) ?? 0) - 1;
      open.set(user, left);
      if (left === 0) ends.push(user);
    }
  }
}

/**
 * The bytes of each target with the references in it replaced, besides those in `kept`. A target that has more than
 * `most` is added to `kept`.
 */
function sizesOf(targets: Targets, kept: Set<string>, most: number): ReadonlyMap<string, number> {
  const graph = new Map(
    [...targets].map(([pointer, { references }]) => [
      pointer,
      kept.has(pointer) ? new Set<string>() : references,
    ]),
  );
  const sizes = new Map<string, number>();
  for (const pointer of leavesFirst(graph)) {
    const target = targets.get(pointer);
    if (!target || kept.has(pointer)) continue;
    const size = sizeWith(target.value, sizes, kept);
    if (size > most) kept.add(pointer);
    else sizes.set(pointer, size);
  }
  return sizes;
}

function sizeWith(
  value: unknown,
  sizes: ReadonlyMap<string, number>,
  kept: ReadonlySet<string>,
): number {
  let bytes = 0;
  const own = rewrite(value, {
    reference: (reference) => {
      bytes += kept.has(reference.$ref) ? REFERENCE_BYTES : (sizes.get(reference.$ref) ?? 0);
      return reference;
    },
  });
  return bytes + toJson(own, 0).length;
}

/** A name for each pointer: its last part, with a number where others have it. */
function namesFor(pointers: ReadonlySet<string>): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  return new Map(
    [...pointers].map((pointer) => {
      const name = namesOf(pointer)?.at(-1) ?? pointer;
      let free = name;
      for (let number = 2; taken.has(free); number += 1) free = `${name}-${number}`;
      taken.add(free);
      return [pointer, free];
    }),
  );
}

const escaped = (name: string) =>
  encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Keywords beside a `$ref` that describe, and are better than those of what it refers to. */
const DESCRIBING: ReadonlySet<string> = new Set([
  ...['title', 'summary', 'description', 'deprecated', 'default', 'example', 'examples'],
  ...['readOnly', 'writeOnly', 'nullable', 'externalDocs', '$comment'],
]);

/** What a reference says: in a schema what stands beside `$ref` holds, too. */
function merged(target: unknown, { $ref: _, ...beside }: Reference): unknown {
  const names = Object.keys(beside);
  if (names.length === 0) return target;
  if (!isObject(target)) return target;
  const isCompatible = names.every(
    (name) => DESCRIBING.has(name) || name.startsWith('x-') || !Object.hasOwn(target, name),
  );
  return isCompatible ? { ...target, ...beside } : { allOf: [target], ...beside };
}
