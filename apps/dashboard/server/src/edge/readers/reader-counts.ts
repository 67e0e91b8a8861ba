import {
  type CountKind,
  DETAIL,
  HOUR_MS,
  MAX_DETAIL,
  MAX_NAME,
  MOST_NAMES,
  OTHERS,
  type Sentence,
} from '../../readers/counted.ts';
import type { EdgeLog } from '../log.ts';
import type { SiteSource } from '../sites/site-source.ts';

/** How long counts stay in memory, in milliseconds: what a process loses that is killed. */
export const STORED_EVERY_MS = 5_000;

/** Names of all projects in memory. Beyond that, new names count among the others, and new projects not at all. */
const MAX_NAMES = 50_000;

/** Sentences of a project in memory; more of them are dropped. */
const MAX_SENTENCES = 20;

/** Hours in memory while the store is away; the oldest is dropped. */
const MAX_HOURS = 6;

interface Counts {
  readonly counts: Map<CountKind, Map<string, number>>;
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
  #storing: Promise<void> = Promise.resolve();

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
    const known = names.get(key);
    if (known !== undefined) {
      names.set(key, known + 1);
      return;
    }
    const isKept =
      name !== OTHERS &&
      name.length <= MAX_NAME &&
      detail.length <= MAX_DETAIL &&
      names.size < MOST_NAMES[kind] &&
      this.#names < MAX_NAMES;
    if (isKept) this.#names += 1;
    // What led to missing paths are many; other details are few.
    const kept = isKept ? key : keyOf(OTHERS, kind === 'missing' ? '' : detail);
    names.set(kept, (names.get(kept) ?? 0) + 1);
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

  #namesOf(projectId: string, kind: CountKind): Map<string, number> | undefined {
    const counts = this.#countsOf(projectId)?.counts;
    const known = counts?.get(kind);
    if (known || !counts) return known;
    const names = new Map<string, number>();
    counts.set(kind, names);
    return names;
  }

  #countsOf(projectId: string): Counts | undefined {
    const now = this.#now();
    const hour = now - (now % HOUR_MS);
    let projects = this.#hours.get(hour);
    if (!projects) {
      projects = new Map();
      this.#hours.set(hour, projects);
      if (!this.#isStoring) this.#schedule();
    }
    const known = projects.get(projectId);
    if (known) return known;
    if (this.#names >= MAX_NAMES) return undefined;
    const made: Counts = { counts: new Map(), sentences: [] };
    projects.set(projectId, made);
    return made;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#storing = this.#store();
    }, STORED_EVERY_MS).unref();
  }

  /** One at a time: the next one is scheduled when this one has ended, so that little waits while the store is away. */
  async #store(): Promise<void> {
    const taken = this.#hours;
    this.#hours = new Map();
    this.#names = 0;
    this.#isStoring = true;
    for (const [hour, projects] of taken) {
      try {
        await this.#source.addReaders?.({ hour, projects });
      } catch (error) {
        this.#log.warn({ err: error }, 'what readers do could not be stored; it is tried again');
        this.#putBack(hour, projects);
      }
    }
    this.#isStoring = false;
    if (this.#hours.size > 0) this.#schedule();
  }

  /** For the next time, with what came meanwhile. */
  #putBack(hour: number, projects: Map<string, Counts>): void {
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

function sumOf(
  kind: CountKind,
  { counts }: Counts,
  added: ReadonlyMap<string, number>,
): Map<string, number> {
  const sum = counts.get(kind) ?? new Map<string, number>();
  for (const [name, count] of added) {
    const isKept = sum.has(name) || sum.size < 2 * MOST_NAMES[kind];
    const kept = isKept ? name : OTHERS;
    sum.set(kept, (sum.get(kept) ?? 0) + count);
  }
  return sum;
}
