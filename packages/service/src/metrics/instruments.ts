/** The labels of a series, by name. The values of each must be few and known: every combination is kept for good. */
export type Labels = Readonly<Record<string, string>>;

/** How often something happened, or how much of it there was. */
export class Counter {
  value = 0;

  add(amount = 1): void {
    this.value += amount;
  }
}

/** How much of something there is, as somebody last said. */
export class Gauge {
  value = 0;

  set(value: number): void {
    this.value = value;
  }
}

/** A histogram: how many values fell below each bound, and their sum. */
export class Histogram {
  readonly bounds: readonly number[];
  /** How many fell between a bound and the one before it; the last one is for values beyond all bounds. */
  readonly counts: Float64Array;
  sum = 0;

  /** `bounds`: ascending, in the unit of the values. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at++;
    counts[at] = (counts[at] as number) + 1;
    this.sum += value;
  }

  /** The same for `times` equal values. */
  observeEach(value: number, times: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at++;
    counts[at] = (counts[at] as number) + times;
    this.sum += value * times;
  }
}

/** A metric: the series of one name, told apart by their labels. */
export class Family<T> {
  readonly name: string;
  readonly help: string;
  readonly #create: () => T;
  readonly #series = new Map<string, { readonly labels: Labels; readonly instrument: T }>();

  constructor(name: string, help: string, create: () => T) {
    this.name = name;
    this.help = help;
    this.#create = create;
  }

  /** The series of these labels. Where speed matters, look it up once and keep it. */
  with(labels: Labels = {}): T {
    const key = JSON.stringify(labels);
    let series = this.#series.get(key);
    if (!series) {
      series = { labels, instrument: this.#create() };
      this.#series.set(key, series);
    }
    return series.instrument;
  }

  /** Forgets all series, before those that there are now are said anew. */
  clear(): void {
    this.#series.clear();
  }

  series(): Iterable<{ readonly labels: Labels; readonly instrument: T }> {
    return this.#series.values();
  }
}

/** How the values of several processes are combined. */
type Aggregator = 'sum' | 'first' | 'min' | 'max';

/** A gauge whose value is computed when it is read. */
interface Reading {
  readonly type: 'counter' | 'gauge';
  readonly aggregator: Aggregator;
  readonly name: string;
  readonly help: string;
  readonly labels: Labels;
  readonly read: () => number;
}

/**
 * What the process counts and measures. To count costs an addition and to measure a few comparisons;
 * the text that Prometheus reads is made when it asks (exposition.ts).
 *
 *     const shed = metrics.counter('petstore_shed_total', 'Requests refused …').with({ reason: 'queue' });
 *     shed.add();
 *
 * Names begin with the program's (`petstore_`) and end in their base unit (`_seconds`, `_bytes`), counters in `_total`.
 * A name is given once. Each has its line in the documentation.
 */
export class Metrics {
  readonly counters: Family<Counter>[] = [];
  readonly histograms: Family<Histogram>[] = [];
  readonly levels: Family<Gauge>[] = [];
  readonly readings: Reading[] = [];

  /** A counter: it only grows. */
  counter(name: string, help: string): Family<Counter> {
    const family = new Family(name, help, () => new Counter());
    this.counters.push(family);
    return family;
  }

  /** A histogram. `bounds` as in Histogram. */
  histogram(name: string, help: string, bounds: readonly number[]): Family<Histogram> {
    const family = new Family(name, help, () => new Histogram(bounds));
    this.histograms.push(family);
    return family;
  }

  /** A gauge whose values somebody sets, such as what was read from a database. */
  level(name: string, help: string): Family<Gauge> {
    const family = new Family(name, help, () => new Gauge());
    this.levels.push(family);
    return family;
  }

  /**
   * A gauge. A name may be given several times, each with other labels. `aggregator`: how the values of several processes
   * that serve one port are combined.
   */
  gauge(
    name: string,
    help: string,
    read: () => number,
    labels: Labels = {},
    aggregator: Aggregator = 'sum',
  ): void {
    this.readings.push({ type: 'gauge', aggregator, name, help, labels, read });
  }

  /** A counter whose value is kept elsewhere. */
  counted(name: string, help: string, read: () => number): void {
    this.readings.push({ type: 'counter', aggregator: 'sum', name, help, labels: {}, read });
  }
}
