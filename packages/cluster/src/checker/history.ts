/** A violation of what the service guarantees. */
export interface Violation {
  readonly kind:
    | 'lost write'
    | 'done twice'
    | 'sold twice'
    | 'went back'
    | 'left out'
    | 'wrong order'
    | 'wrong response'
    | 'no response';
  readonly what: string;
}

/** A page of animals in a response. */
export interface Page {
  /** When the request was sent, in milliseconds of this process. */
  readonly sentAt: number;
  /** The page begins behind this id. */
  readonly behind: number;
  readonly ids: readonly number[];
  /** The page had no next one. */
  readonly isLast: boolean;
}

/**
 * The responses that clients got, and whether they fit together. All clients live in one process, so its clock orders
 * their requests. Whatever was acknowledged before a request began must show in its response, and no response shows
 * less than one that had ended before.
 */
export class History {
  readonly #violated: (violation: Violation) => void;
  /** When each animal was acknowledged, by id. */
  readonly #acknowledged = new Map<number, number>();
  /** The same ids in ascending order. */
  readonly #ids: number[] = [];
  /** The id that each name was acknowledged with; names are never used twice. */
  readonly #byName = new Map<string, number>();
  /** Names whose create has not been acknowledged: the store may have them or not. */
  readonly #uncertain = new Set<string>();
  readonly #counters = new Map<number, Counter>();
  /** Sold animals, by id, with the order that was acknowledged. */
  readonly #sold = new Map<number, number>();

  constructor(violated: (violation: Violation) => void) {
    this.#violated = violated;
  }

  get acknowledged(): number {
    return this.#ids.length;
  }

  /** A random animal of the last `among`, or of all. */
  pick(random: number, among = this.#ids.length): number | undefined {
    const from = Math.max(0, this.#ids.length - among);
    return this.#ids[from + Math.floor(random * (this.#ids.length - from))];
  }

  /** A create was acknowledged. */
  created(name: string, id: number): void {
    const before = this.#byName.get(name);
    if (before !== undefined && before !== id)
      this.#violate('done twice', `${name} was made as ${before} and as ${id}.`);
    if (before === id) return;
    if (this.#acknowledged.has(id)) this.#violate('done twice', `The id ${id} was given twice.`);
    this.#uncertain.delete(name);
    this.#byName.set(name, id);
    this.#acknowledged.set(id, performance.now());
    insert(this.#ids, id);
  }

  /** A create failed, and may have happened. */
  mayBeCreated(name: string): void {
    if (!this.#byName.has(name)) this.#uncertain.add(name);
  }

  /** A client read an animal: it must be there when it was acknowledged before. */
  found(id: number, sentAt: number, isThere: boolean): void {
    const since = this.#acknowledged.get(id);
    if (!isThere && since !== undefined && since < sentAt)
      this.#violate(
        'lost write',
        `${id} was acknowledged ${age(since, sentAt)}, and is not there.`,
      );
  }

  /** A page was read: its ids ascend, and none that was acknowledged before is left out. */
  listed({ sentAt, behind, ids, isLast }: Page): void {
    let last = behind;
    for (const id of ids) {
      if (id <= last) this.#violate('wrong order', `${id} came behind ${last} in a page.`);
      last = id;
    }
    const there = new Set(ids);
    const end = isLast ? Number.POSITIVE_INFINITY : last;
    for (let i = position(this.#ids, behind + 1); i < this.#ids.length; i += 1) {
      const id = this.#ids[i] as number;
      if (id > end) break;
      const since = this.#acknowledged.get(id) as number;
      if (since < sentAt && !there.has(id))
        this.#violate(
          'lost write',
          `${id} was acknowledged ${age(since, sentAt)}, and a page behind ${behind} leaves it out.`,
        );
    }
  }

  /** A counter was set to a value, acknowledged. */
  counted(id: number, value: number): void {
    const counter = this.#counter(id);
    counter.shown = Math.max(counter.shown, value);
  }

  /** What a counter must show at least, for a read that begins now. */
  least(id: number): number {
    return this.#counter(id).shown;
  }

  /** A counter was read. `least`: as it was when the read began. */
  read(id: number, value: number, least: number): void {
    if (value < least)
      this.#violate('went back', `The counter ${id} showed ${value} after ${least}.`);
    this.counted(id, value);
  }

  /** An order for an animal was acknowledged. */
  sold(petId: number, orderId: number): void {
    const before = this.#sold.get(petId);
    if (before !== undefined && before !== orderId)
      this.#violate('sold twice', `${petId} was sold by the orders ${before} and ${orderId}.`);
    this.#sold.set(petId, orderId);
  }

  /** Checks all animals at the end, by id, with their names. */
  finallyThere(animals: ReadonlyMap<number, string>): void {
    const byName = new Map<string, number>();
    for (const [id, name] of animals) {
      if (this.#counters.has(id)) continue;
      const other = byName.get(name);
      if (other !== undefined)
        this.#violate('done twice', `${name} is there as ${other} and as ${id}.`);
      byName.set(name, id);
      if (!this.#byName.has(name) && !this.#uncertain.has(name))
        this.#violate('wrong response', `${id} is ${name}, which nobody made.`);
    }
    for (const [name, id] of this.#byName) {
      if (animals.get(id) !== name)
        this.#violate(
          'lost write',
          `${name} was acknowledged as ${id}; in the end that is ${animals.get(id) ?? 'not there'}.`,
        );
    }
  }

  /** Checks every order at the end, by id, with its animal: each animal has one at most. */
  finallyOrdered(orders: ReadonlyMap<number, number>): void {
    const byPet = new Map<number, number>();
    for (const [order, pet] of orders) {
      const other = byPet.get(pet);
      if (other !== undefined)
        this.#violate('sold twice', `${pet} has the orders ${other} and ${order}.`);
      byPet.set(pet, order);
    }
    for (const [pet, order] of this.#sold) {
      if (orders.get(order) !== pet)
        this.#violate(
          'lost write',
          `The order ${order} of ${pet} was acknowledged, and is not there.`,
        );
    }
  }

  /** Checks a walker at the end: it saw these animals, up to `last`. */
  finallyWalked(
    seen: ReadonlySet<number>,
    last: number,
    animals: ReadonlyMap<number, string>,
  ): void {
    for (const id of animals.keys()) {
      if (id <= last && !seen.has(id))
        this.#violate(
          'left out',
          `${id} was never on a page for somebody who followed the links to ${last}.`,
        );
    }
    for (const id of seen) {
      if (!animals.has(id)) this.#violate('went back', `${id} was on a page, and is not there.`);
    }
  }

  #counter(id: number): Counter {
    const counter = this.#counters.get(id) ?? { shown: 0 };
    this.#counters.set(id, counter);
    return counter;
  }

  #violate(kind: Violation['kind'], what: string): void {
    this.#violated({ kind, what });
  }
}

/** The highest value of a counter in any response. */
interface Counter {
  shown: number;
}

function age(since: number, now: number): string {
  return `${((now - since) / 1000).toFixed(1)} s before`;
}

/** Adds an id in its place, which is nearly always the end. */
function insert(ids: number[], id: number): void {
  let at = ids.length;
  while (at > 0 && (ids[at - 1] as number) > id) at -= 1;
  ids.splice(at, 0, id);
}

/** The index of the first id that is at least `least`. */
function position(ids: readonly number[], least: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
