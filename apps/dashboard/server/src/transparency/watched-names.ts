/** A watched name that a certificate is for. */
export interface NameMatch {
  /** As it is watched. */
  readonly hostname: string;
  /** The certificate has it by a wildcard, not by itself. */
  readonly isByWildcard: boolean;
}

/**
 * The names for which certificates are looked for. Of the millions of names in logs nearly none is one, so asking costs
 * a look-up or two in memory, however many are watched.
 */
export class WatchedNames {
  readonly #names: ReadonlySet<string>;
  /** What a wildcard for a parent covers. */
  readonly #byParent = new Map<string, string[]>();

  /** `names`: host names in lower case and punycode; `*.example.com` watches all names one label below. */
  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
    for (const name of this.#names) {
      const parent = parentOf(name);
      const siblings = this.#byParent.get(parent);
      if (siblings) siblings.push(name);
      else this.#byParent.set(parent, [name]);
    }
  }

  /** The watched names among those of a certificate, each once. */
  matches(names: readonly string[]): NameMatch[] {
    const found = new Map<string, NameMatch>();
    const add = (hostname: string, isByWildcard: boolean) => {
      if (found.get(hostname)?.isByWildcard !== false)
        found.set(hostname, { hostname, isByWildcard });
    };
    for (const written of names) {
      const name = written.toLowerCase();
      if (this.#names.has(name)) add(name, false);
      const siblings = this.#byParent.get(parentOf(name));
      if (!siblings) continue;
      const isWildcard = name.startsWith('*.');
      for (const sibling of siblings) {
        if (isWildcard && sibling !== name) add(sibling, true);
        if (!isWildcard && sibling.startsWith('*.')) add(sibling, false);
      }
    }
    return [...found.values()];
  }
}

function parentOf(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}
