/** How many are remembered; a read that saw more has taken so long that it counts as stale. */
const REMEMBERED = 64;

/** What a read that is in flight missed: the projects that were invalidated since it began. */
export class Invalidations {
  /** The last ones; undefined: of all projects. */
  readonly #recent: (ReadonlySet<string> | undefined)[] = [];
  #count = 0;

  add(projectIds: ReadonlySet<string> | undefined): void {
    this.#count++;
    this.#recent.push(projectIds);
    if (this.#recent.length > REMEMBERED) this.#recent.shift();
  }

  /** A mark to compare with later, for a read that begins now. */
  now(): number {
    return this.#count;
  }

  /**
   * Whether an invalidation since the mark may concern a result: one of its project; any where the result has none, since
   * it may be of a project by now.
   */
  concern(mark: number, projectId: string | undefined): boolean {
    const missed = this.#count - mark;
    if (missed === 0) return false;
    if (projectId === undefined || missed > REMEMBERED) return true;
    return this.#recent
      .slice(-missed)
      .some((projectIds) => projectIds === undefined || projectIds.has(projectId));
  }
}
