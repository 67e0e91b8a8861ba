import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import type { ApiDocument, At } from './api-document.ts';

/**
 * Tells quickly of most places that nothing can have changed there: what is written is the same, and so is all that it
 * refers to. Two versions of a large document differ in few places.
 */
export class Sameness {
  readonly #old: ApiDocument;
  readonly #new: ApiDocument;
  /** Of references that both documents have: whether the targets are the same, with all that they refer to. */
  readonly #targets = new Map<string, Target>();
  #isSettled = true;

  constructor(old: ApiDocument, now: ApiDocument) {
    this.#old = old;
    this.#new = now;
    // All at once: what each refers to has to be gone through whenever one comes along.
    for (const reference of sharedParts(old))
      if (!this.#targets.has(reference)) this.#open(reference);
  }

  /** Whether two values are written alike, and all that they refer to. */
  isSame(old: At, now: At): boolean {
    const references = new Set<string>();
    if (this.#old.isOf30 !== this.#new.isOf30) return false;
    if (!isEqual(old.value, now.value, references)) return false;
    for (const reference of references) if (!this.#isSameTarget(reference)) return false;
    return true;
  }

  #isSameTarget(reference: string): boolean {
    const known = this.#targets.get(reference) ?? this.#open(reference);
    if (!this.#isSettled) this.#settle();
    return known.isSame;
  }

  /** Compares what a reference leads to, and whatever that refers to. */
  #open(reference: string): Target {
    this.#isSettled = false;
    const first: Target = { isSame: false, references: new Set() };
    this.#targets.set(reference, first);
    const waiting: [string, Target][] = [[reference, first]];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [name, target] = next;
      const [old, now] = [this.#old.target(name).value, this.#new.target(name).value];
      target.isSame = isEqual(old, now, target.references);
      for (const other of target.references) {
        if (this.#targets.has(other)) continue;
        const made: Target = { isSame: false, references: new Set() };
        this.#targets.set(other, made);
        waiting.push([other, made]);
      }
    }
    return first;
  }

  /** What refers to something that differs, differs too. */
  #settle(): void {
    this.#isSettled = true;
    const users = new Map<string, Target[]>();
    for (const target of this.#targets.values())
      for (const reference of target.references) {
        const known = users.get(reference);
        if (known) known.push(target);
        else users.set(reference, [target]);
      }
    const waiting = [...this.#targets].filter(([, { isSame }]) => !isSame).map(([name]) => name);
    const names = new Map([...this.#targets].map(([name, target]) => [target, name]));
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
      for (const user of users.get(name) ?? []) {
        if (!user.isSame) continue;
        user.isSame = false;
        waiting.push(names.get(user) as string);
      }
  }
}

interface Target {
  isSame: boolean;
  readonly references: Set<string>;
}

/** Whether two JSON values are equal, whatever the order of members. Collects what both refer to. */
export function isEqual(old: unknown, now: unknown, references?: Set<string>): boolean {
  // Also of one and the same object it matters what it refers to.
  if (old === now && (references === undefined || typeof old !== 'object')) return true;
  if (typeof old !== 'object' || typeof now !== 'object' || old === null || now === null)
    return old === now;
  if (Array.isArray(old)) {
    if (!Array.isArray(now) || old.length !== now.length) return false;
    for (let at = 0; at < old.length; at += 1)
      if (!isEqual(old[at], now[at], references)) return false;
    return true;
  }
  if (!isObject(now)) return false;
  const members = old as Record<string, unknown>;
  let missing = 0;
  // Lists of the names would be most of what a comparison leaves to be collected.
  for (const _name in now) missing += 1;
  for (const name in members) {
    missing -= 1;
    const other = name === '__proto__' && !Object.hasOwn(now, name) ? undefined : now[name];
    if (other === undefined || !isEqual(members[name], other, references)) return false;
    if (name === '$ref' && references && typeof other === 'string') references.add(other);
  }
  return missing === 0;
}

/** References to all shared parts of a document. */
function* sharedParts(document: ApiDocument): Generator<string> {
  const components = document.root.value;
  const sections = isObject(components) ? components.components : undefined;
  for (const [section, parts] of Object.entries(isObject(sections) ? sections : {}))
    for (const name of Object.keys(isObject(parts) ? parts : {}))
      yield `#/components/${section}/${name}`;
}
