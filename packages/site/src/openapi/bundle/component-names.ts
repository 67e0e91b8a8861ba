import { fromPointer } from '../../syntax/source.ts';
import type { Place } from './referenced-files.ts';

/** Names of files and folders, and parts of pointers, that say where something is, and not what it is. */
const GENERIC =
  /^_?(?:index|main|root|openapi|swagger|api|spec|specification|specs|docs|resources|shared|common|components|models?|schemas?|definitions|types|parameters|params|responses|requests|requestBodies|headers|examples|links|callbacks|attributes|properties|\$defs|allOf|anyOf|oneOf|items|schema)$/i;

/** Gives shared components names that nothing else of their section has. */
export class ComponentNames {
  readonly #taken = new Map<string, Set<string>>();
  readonly #next = new Map<string, number>();

  /** Notes that a section has a name. */
  take(section: string, name: string): void {
    const names = this.#taken.get(section) ?? new Set();
    this.#taken.set(section, names.add(name));
  }

  /**
   * A name for what is at a place: the last word of the pointer, or the file's name, with words of the way there in
   * front of it where another one has that name: `pet`, then `orders_pet`.
   */
  nameFor(section: string, place: Place): string {
    const words = wordsOf(place);
    const own = words.pop() ?? section.replace(/(?:ie)?s$/, '');
    const names = this.#taken.get(section);
    let name = own;
    while (names?.has(name) && words.length > 0) name = `${words.pop()}_${name}`;
    const base = `${section}/${name}`;
    // From where the last one with this name ended, since there may be very many.
    let at = this.#next.get(base) ?? 2;
    const plain = name;
    for (; names?.has(name); at += 1) name = `${plain}_${at}`;
    this.#next.set(base, at);
    this.take(section, name);
    return name;
  }
}

/** The words that say what is at a place, the most general one first. */
function wordsOf({ file, pointer }: Place): string[] {
  const path = file.replace(/\.(?:ya?ml|json)$/i, '').split('/');
  const parts = fromPointer(pointer).filter((part) => !/^\d+$/.test(part));
  const words = [...path, ...parts];
  const telling = words.filter((word) => !GENERIC.test(word));
  return (telling.length > 0 ? telling : words.slice(-1)).map(asName).filter(Boolean);
}

/** The letters of a word that the name of a component may have. */
function asName(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\w.-]+/g, '_')
    .replace(/^[_.-]+|[_.-]+$/g, '')
    .slice(0, 100);
}
