/** What a read has shown of things whose ids lie in a range. */
interface Read {
  readonly begunAt: number;
  readonly endedAt: number;
  /** It would have shown what has an id above `after`, up to `to`. */
  readonly after: number;
  readonly to: number;
  /** The version of each thing that it has shown, by id. */
  readonly shown: ReadonlyMap<number, number>;
}

interface Write {
  readonly endedAt: number;
  readonly id: number;
  readonly version: number;
}

/**
 * What clients of several processes were told, by one clock, and whether it could have been told by a store in one
 * place. Each thing has versions, which its only writer counts up from 1; nothing is deleted. Then these hold:
 *
 * - a read that begins after a write was acknowledged shows that version, or a later one;
 * - a read shows no less than one that had ended before it began, whoever read where.
 */
export class ReadHistory {
  readonly #writes: Write[] = [];
  readonly #reads: Read[] = [];
  readonly #tried = new Map<number, number>();

  /** How many reads there were. */
  get reads(): number {
    return this.#reads.length;
  }

  /** Before a write of a thing whose id is known is sent: reads may show it from now on. */
  trying(id: number, version: number): void {
    this.#tried.set(id, version);
  }

  /** A write was acknowledged just now. */
  acknowledged(id: number, version: number): void {
    this.trying(id, Math.max(version, this.#tried.get(id) ?? 0));
    this.#writes.push({ endedAt: performance.now(), id, version });
  }

  /** A read that began at `begunAt`, by performance.now(), has ended just now. `shown`: ids and versions in its order. */
  ended(
    begunAt: number,
    { after, to }: { after: number; to: number },
    shown: readonly (readonly [id: number, version: number])[],
  ): void {
    const versions = new Map(shown);
    if (versions.size < shown.length) throw new Error('a page has an id twice');
    const ids = [...versions.keys()];
    if (ids.some((id, at) => id <= (ids[at - 1] ?? after)))
      throw new Error('a page is out of order');
    this.#reads.push({ begunAt, endedAt: performance.now(), after, to, shown: versions });
  }

  /** What no store in one place could have shown, a sentence each; at best none. */
  violations(): string[] {
    const violations: string[] = [];
    /** The version of each thing that a read shows at least, from the moment on that is looked at. */
    const least = new Map<number, number>();
    const raise = (id: number, version: number) =>
      least.set(id, Math.max(version, least.get(id) ?? 0));
    const moments = [
      ...this.#writes.map((write) => ({ at: write.endedAt, write })),
      ...this.#reads.flatMap((read) => [
        { at: read.begunAt, begun: read },
        { at: read.endedAt, ended: read },
      ]),
    ].sort((a, b) => a.at - b.at);
    for (const moment of moments) {
      if ('write' in moment) raise(moment.write.id, moment.write.version);
      if ('ended' in moment) for (const [id, version] of moment.ended.shown) raise(id, version);
      if ('begun' in moment) {
        const { after, to, shown, begunAt } = moment.begun;
        for (const [id, version] of least) {
          const seen = shown.get(id) ?? 0;
          if (id <= after || id > to || seen >= version) continue;
          violations.push(
            `at ${begunAt.toFixed(1)} ms a read began that shows version ${seen} of ${id}, where ${version} was told before`,
          );
        }
      }
    }
    for (const { shown } of this.#reads) {
      for (const [id, version] of shown) {
        const tried = this.#tried.get(id);
        if (tried !== undefined && version > tried) {
          violations.push(`a read shows version ${version} of ${id}, which nobody wrote`);
        }
      }
    }
    return violations;
  }
}
