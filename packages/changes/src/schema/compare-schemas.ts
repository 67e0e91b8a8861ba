import type { DeprecationRule } from '../lifecycle.ts';
import { type Effect, effectOf } from '../rules.ts';
import type { Sameness } from '../sameness.ts';
import { conditionChanges } from './condition-changes.ts';
import { noteChanges } from './note-changes.ts';
import { propertyChanges } from './property-changes.ts';
import type { Mode, SchemaNode, SchemaPairs } from './schema-change.ts';
import { type Conjunction, keyOf, type SchemaView, type SchemaViews } from './schema-view.ts';
import { valueChanges } from './value-changes.ts';
import { isSplit, variantChanges } from './variant-changes.ts';

/** How deep variants lie in variants at most: recursion is as deep. */
const MAX_NESTED = 100;

const UNCHANGED: SchemaNode = { changes: [], notes: [], children: [] };

/** Compares schemas of two documents by what they allow; each pair once, so that recursion ends. */
export class SchemaComparison implements SchemaPairs {
  readonly old: SchemaViews;
  readonly new: SchemaViews;
  readonly #sameness: Sameness;
  readonly #deprecation: DeprecationRule;
  readonly #nodes = new Map<string, SchemaNode>();
  readonly #effects = new Map<SchemaNode, Effect>();
  /** Nodes whose changes are not all known yet. */
  readonly #open = new Set<SchemaNode>();
  readonly #waiting: (() => void)[] = [];
  #depth = 0;

  constructor(
    old: SchemaViews,
    now: SchemaViews,
    sameness: Sameness,
    deprecation: DeprecationRule,
  ) {
    this.old = old;
    this.new = now;
    this.#sameness = sameness;
    this.#deprecation = deprecation;
  }

  /** Compares two schemas, and all in them. An empty conjunction allows everything. */
  compare(old: Conjunction, now: Conjunction, mode: Mode): SchemaNode {
    const node = this.#nodeOf(old, now, mode);
    // Variants are compared while what they are in is. Of those that lie deeper nothing is found here.
    if (this.#depth === MAX_NESTED) return node;
    this.#depth += 1;
    for (let fill = this.#waiting.pop(); fill; fill = this.#waiting.pop()) fill();
    this.#depth -= 1;
    return node;
  }

  /** The node of two schemas, which is filled later: models may refer to each other in a long row. */
  #nodeOf(old: Conjunction, now: Conjunction, mode: Mode): SchemaNode {
    if (this.isSame(old, now)) return UNCHANGED;
    const { direction, form } = mode;
    const key = `${direction} ${form} ${keyOf(old)} ${keyOf(now)}`;
    const known = this.#nodes.get(key);
    if (known) return known;
    const node: SchemaNode = { changes: [], notes: [], children: [] };
    this.#nodes.set(key, node);
    this.#open.add(node);
    this.#waiting.push(() => {
      this.#fill(node, old, now, mode);
      this.#open.delete(node);
    });
    return node;
  }

  /** Whether nothing can have changed, as far as a look at the text tells. */
  isSame(old: Conjunction, now: Conjunction): boolean {
    return (
      old.length === now.length &&
      old.every((part, at) => {
        const other = now[at];
        return (
          other !== undefined &&
          part.withoutVariants === other.withoutVariants &&
          part.ofType === other.ofType &&
          this.#sameness.isSame(part, other)
        );
      })
    );
  }

  /** What the changes in a node and all below it do to the values that are allowed. */
  effect(node: SchemaNode): Effect {
    const known = this.#effects.get(node);
    if (known !== undefined) return known;
    const seen = new Set([node]);
    let effect: Effect = 'none';
    let isWhole = true;
    for (const one of seen) {
      if (this.#open.has(one)) isWhole = false;
      for (const { fact } of one.changes) effect = both(effect, effectOf(fact));
      for (const child of one.children) seen.add(child.node);
    }
    if (isWhole) this.#effects.set(node, effect);
    return effect;
  }

  /** Whether two schemas allow the same values, and no property was added or removed. */
  isSameMeaning(old: Conjunction, now: Conjunction, mode: Mode): boolean {
    const node = this.compare(old, now, mode);
    const seen = new Set([node]);
    for (const one of seen) {
      if (one.changes.length > 0) return false;
      for (const child of one.children) seen.add(child.node);
    }
    return true;
  }

  #fill(node: SchemaNode, old: Conjunction, now: Conjunction, mode: Mode): void {
    const [before, after] = [this.old.view(old), this.new.view(now)];
    node.notes.push(...noteChanges(before, after, this.#deprecation));
    if (before.isNever !== after.isNever) {
      const fact = after.isNever ? 'type-narrowed' : 'type-widened';
      node.changes.push({
        ...{ fact, old: before.at, new: after.at },
        said: {
          old: before.isNever ? 'nothing' : 'anything',
          new: after.isNever ? 'nothing' : 'anything',
        },
      });
      return;
    }
    const child = (step: string, one: Conjunction, other: Conjunction) => {
      const made = this.#nodeOf(one, other, mode);
      if (made !== UNCHANGED) node.children.push({ step, node: made });
    };
    const isOtherType = typesDiffer(before, after);
    for (const change of variantChanges(this, old, now, mode, child)) node.changes.push(change);
    if (isSplit(before, after)) return;
    for (const change of valueChanges(before, after, mode)) node.changes.push(change);
    // Of an object that became text nobody asks for its properties.
    if (isOtherType) return;
    for (const change of propertyChanges(this, before, after, mode, child))
      node.changes.push(change);
    for (const change of conditionChanges(before, after, this.#sameness)) node.changes.push(change);
    if (before.items || after.items) child('[]', before.items ?? [], after.items ?? []);
    for (let at = 0; at < Math.max(before.tuple.length, after.tuple.length); at += 1)
      child(
        `[${at}]`,
        before.tuple[at] ?? before.items ?? [],
        after.tuple[at] ?? after.items ?? [],
      );
  }
}

/** Whether two schemas have no type in common. */
function typesDiffer({ types: old }: SchemaView, { types: now }: SchemaView): boolean {
  if (!old || !now || old.size === 0 || now.size === 0) return false;
  const isIn = (one: string, types: ReadonlySet<string>) =>
    types.has(one) ||
    (one === 'integer' && types.has('number')) ||
    (one === 'number' && types.has('integer'));
  return ![...old].some((one) => isIn(one, now));
}

function both(one: Effect, other: Effect): Effect {
  if (one === other || other === 'none') return one;
  return one === 'none' ? other : 'both';
}
