import {
  type CountKind,
  DETAIL,
  HOUR_MS,
  type HourCounts,
  MAX_DETAIL,
  MAX_NAME,
  MOST_NAMES,
  OTHERS,
  type Sentence,
} from '../../readers/counted.ts';
import type { EdgeLog } from '../log.ts';
import type { SiteSource } from '../sites/site-source.ts';

/**
 * How often counts are stored, in milliseconds, and how soon after the first one that there was for long: what a process
 * loses that is killed. To store takes one to two milliseconds of the processor.
 */
const STORED_EVERY_MS = 10_000;
const STORED_FIRST_MS = 1_000;

/**
 * Names of a kind in memory, by those that are kept of a day: more than that, and the rarest join the others. So whoever
 * invents names does not keep out what comes later and more often.
 */
const MOST_AT_ONCE = 2;

/** Names of all projects in memory. Beyond that, new names count among the others, and new projects not at all. */
const MAX_NAMES = 50_000;

/** Sentences of a project in memory; more of them are dropped. */
const MAX_SENTENCES = 20;

/** Hours in memory while the store is unavailable; the oldest is dropped. */
const MAX_HOURS = 6;

/** Projects whose counts are stored at once, all or none: others wait for them meanwhile. */
const PROJECTS_AT_ONCE = 100;

/** In place of a number in a map, so that counting is one look-up. */
interface Cell {
  count: number;
}

type Names = Map<string, Cell>;

interface Counts {
  readonly counts: Map<CountKind, Names>;
  readonly sentences: Sentence[];
}

/**
 * Counts what readers do, by project and hour, and adds it to the store every few seconds while there is something. It
 * knows names and how often they came, and never who: nothing here can be told apart by reader.
 */
export class ReaderCounts {
  readonly #source: SiteSource;
  readonly #log: EdgeLog;
  readonly #now: () => number;
  #hours = new Map<number, Map<string, Counts>>();
  #names = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStoring = false;
  #storedAt = Number.NEGATIVE_INFINITY;
  #storing: Promise<void> = Promise.resolve();
  #lastId = '';
  #lastUntil = 0;
  #last: Counts | undefined;

  /** `now`: the clock, in milliseconds since 1970. */
  constructor(source: SiteSource, log: EdgeLog, now: () => number = Date.now) {
    this.#source = source;
    this.#log = log;
    this.#now = now;
  }

  /** Counts a name once. One that is empty or too long counts among the others. */
  count(projectId: string, kind: CountKind, name: string, detail = ''): void {
    const names = this.#namesOf(projectId, kind);
    if (!names) return;
    const key = keyOf(name, detail);
    const cell = names.get(key);
    if (cell) {
      cell.count += 1;
      return;
    }
    const isKept =
      name !== OTHERS &&
      name.length <= MAX_NAME &&
      detail.length <= MAX_DETAIL &&
      this.#names < MAX_NAMES;
    if (!isKept) {
      addTo(names, othersKey(kind, detail), 1);
      return;
    }
    if (names.size >= MOST_AT_ONCE * MOST_NAMES[kind]) this.#names -= keepMost(kind, names);
    this.#names += 1;
    names.set(key, { count: 1 });
  }

  /** Keeps what a reader wrote until it is stored. */
  addSentence(projectId: string, sentence: Sentence): void {
    const sentences = this.#countsOf(projectId)?.sentences;
    if (sentences && sentences.length < MAX_SENTENCES) sentences.push(sentence);
  }

  /** Stores what was counted. */
  async close(): Promise<void> {
    await this.#storing;
    clearTimeout(this.#timer);
    await this.#store();
    clearTimeout(this.#timer);
  }

  #namesOf(projectId: string, kind: CountKind): Names | undefined {
    const counts = this.#countsOf(projectId)?.counts;
    const known = counts?.get(kind);
    if (known || !counts) return known;
    const names: Names = new Map();
    counts.set(kind, names);
    return names;
  }

  #countsOf(projectId: string): Counts | undefined {
    const now = this.#now();
    // Mostly it is the hour and the project of the one before.
    if (projectId === this.#lastId && now < this.#lastUntil) return this.#last;
    const hour = now - (now % HOUR_MS);
    let projects = this.#hours.get(hour);
    if (!projects) {
      projects = new Map();
      this.#hours.set(hour, projects);
      if (!this.#isStoring) this.#schedule();
    }
    let counts = projects.get(projectId);
    if (!counts) {
      if (this.#names >= MAX_NAMES) return undefined;
      counts = { counts: new Map(), sentences: [] };
      projects.set(projectId, counts);
    }
    this.#lastId = projectId;
    this.#lastUntil = hour + HOUR_MS;
    this.#last = counts;
    return counts;
  }

  #schedule(): void {
    const waitMs = this.#storedAt + STORED_EVERY_MS - performance.now();
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#storing = this.#store();
      },
      Math.max(STORED_FIRST_MS, waitMs),
    ).unref();
  }

  /**
   * One at a time: the next is scheduled when this one has ended, so that little waits while the store is unavailable.
   */
  async #store(): Promise<void> {
    const taken = this.#hours;
    this.#hours = new Map();
    this.#names = 0;
    this.#lastUntil = 0;
    this.#isStoring = true;
    this.#storedAt = performance.now();
    for (const [hour, projects] of taken) {
      const all = [...projects];
      let hasFailed = false;
      for (let at = 0; at < all.length; at += PROJECTS_AT_ONCE) {
        const some = new Map(all.slice(at, at + PROJECTS_AT_ONCE));
        try {
          // Where the store is unavailable, each would wait as long. Those that were not tried come first the next time.
          if (!hasFailed) await this.#source.addReaders?.({ hour, projects: numbersOf(some) });
        } catch (error) {
          hasFailed = true;
          this.#log.warn({ err: error }, 'reader counts could not be stored; will retry');
        }
        if (hasFailed) this.#putBack(hour, some);
      }
    }
    this.#isStoring = false;
    if (this.#hours.size > 0) this.#schedule();
  }

  /** For the next time, with what came meanwhile. */
  #putBack(hour: number, projects: Map<string, Counts>): void {
    this.#lastUntil = 0;
    const since = this.#hours.get(hour);
    this.#hours.set(hour, projects);
    for (const [projectId, { counts, sentences }] of since ?? []) {
      const known = projects.get(projectId);
      if (!known) {
        projects.set(projectId, { counts, sentences });
        continue;
      }
      for (const [kind, names] of counts) known.counts.set(kind, sumOf(kind, known, names));
      known.sentences.push(...sentences.slice(0, MAX_SENTENCES - known.sentences.length));
    }
    const [oldest] = [...this.#hours.keys()].sort((one, other) => one - other);
    if (this.#hours.size > MAX_HOURS && oldest !== undefined) this.#hours.delete(oldest);
    this.#names = 0;
    for (const all of this.#hours.values())
      for (const { counts } of all.values())
        for (const names of counts.values()) this.#names += names.size;
  }
}

const keyOf = (name: string, detail: string): string =>
  detail === '' ? name : name + DETAIL + detail;

/** What led to missing paths are many; other details are few. */
const othersKey = (kind: CountKind, detail: string): string =>
  keyOf(OTHERS, kind === 'missing' ? '' : detail);

/** Leaves the most frequent names, of equally frequent ones any, and adds all others up. Returns how many it dropped. */
function keepMost(kind: CountKind, names: Names): number {
  const dropped = [...names]
    .filter(([key]) => !isOthers(key))
    .map(([key, { count }]) => ({ key, count, lot: Math.random() }))
    .sort((one, other) => other.count - one.count || one.lot - other.lot)
    .slice(MOST_NAMES[kind]);
  for (const { key, count } of dropped) {
    names.delete(key);
    addTo(names, othersKey(kind, key.split(DETAIL, 2)[1] ?? ''), count);
  }
  return dropped.length;
}

const isOthers = (key: string): boolean => key === OTHERS || key.startsWith(OTHERS + DETAIL);

function addTo(names: Names, key: string, count: number): void {
  const cell = names.get(key);
  if (cell) cell.count += count;
  else names.set(key, { count });
}

function sumOf(kind: CountKind, { counts }: Counts, added: Names): Names {
  const sum = counts.get(kind) ?? new Map<string, Cell>();
  for (const [key, { count }] of added) addTo(sum, key, count);
  if (sum.size > MOST_AT_ONCE * MOST_NAMES[kind]) keepMost(kind, sum);
  return sum;
}

function numbersOf(projects: ReadonlyMap<string, Counts>): HourCounts['projects'] {
  const numbers = (names: Names) => new Map([...names].map(([key, { count }]) => [key, count]));
  return new Map(
    [...projects].map(([id, { counts, sentences }]) => [
      id,
      { counts: new Map([...counts].map(([kind, names]) => [kind, numbers(names)])), sentences },
    ]),
  );
}
