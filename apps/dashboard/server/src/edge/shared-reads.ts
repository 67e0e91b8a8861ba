/** Lets those who want the same thing at the same time share one read of it. */
export class SharedReads<T> {
  readonly #running = new Map<string, Promise<T>>();

  /** Joins the read of that name which is under way, or begins one. */
  read(name: string, begin: () => Promise<T>): Promise<T> {
    const running = this.#running.get(name);
    if (running) return running;
    const begun = begin().finally(() => {
      if (this.#running.get(name) === begun) this.#running.delete(name);
    });
    this.#running.set(name, begun);
    return begun;
  }

  /** Lets nobody join what is under way. */
  forget(): void {
    this.#running.clear();
  }
}
