import {
  AggregatorRegistry,
  collectDefaultMetrics,
  type Metric,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { Family, Labels, Metrics } from './instruments.ts';

/** One line of the text. `metricName` where it is not the metric's own: `_bucket`, `_sum`, `_count`. */
interface Sample {
  readonly metricName?: string;
  readonly labels: Record<string, string | number>;
  readonly value: number;
}

type Type = 'counter' | 'gauge' | 'histogram';

export interface Exposition {
  readonly contentType: string;
  write(): Promise<string>;
}

/** All metrics of a process, in a form that can be sent to another one. */
export type Snapshot = readonly MetricObjectWithValues<MetricValue<string>>[];

/** Of a process that has ended, what it counted goes on to count; what it measured is over. */
export function countsOf(snapshot: Snapshot): Snapshot {
  return snapshot.filter(({ type }) => `${type}` === 'counter' || `${type}` === 'histogram');
}

/** What several processes count and measure together. */
export function together(snapshots: readonly Snapshot[]): Registry {
  return AggregatorRegistry.aggregate(snapshots as unknown as object[]);
}

/** Processor, memory, event loop and garbage collection: the process has them once, whatever it serves. */
let ofProcess: Registry | undefined;

/**
 * Makes the function that writes all metrics in Prometheus' text format, with those of the process
 * under their usual names (`process_…`, `nodejs_…`).
 */
export function exposition(
  metrics: Metrics,
): Exposition & { readonly snapshot: () => Promise<Snapshot> } {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  const process = ofProcess;
  const own = new Registry();
  const register = (
    name: string,
    help: string,
    type: Type,
    samples: () => Sample[],
    aggregator = 'sum',
  ) => {
    // What a registry asks of a metric when it writes is this one call, and its name.
    const metric = { name, get: async () => ({ name, help, type, values: samples(), aggregator }) };
    own.registerMetric(metric as unknown as Metric);
  };
  for (const [name, readings] of Map.groupBy(metrics.readings, (reading) => reading.name)) {
    const [{ type, help, together }] = readings as [(typeof readings)[0]];
    const samples = () =>
      readings.map(({ labels, read }) => ({ labels: { ...labels }, value: read() }));
    register(name, help, type, samples, together);
  }
  for (const family of metrics.counters) {
    register(family.name, family.help, 'counter', () =>
      samplesOf(family, (labels, { value }) => [{ labels: { ...labels }, value }]),
    );
  }
  for (const family of metrics.histograms) {
    register(family.name, family.help, 'histogram', () =>
      samplesOf(family, (labels, { bounds, counts, sum }) => {
        let count = 0;
        const buckets = Array.from(counts, (inBucket, at): Sample => {
          count += inBucket;
          const le = bounds[at] ?? '+Inf';
          return { metricName: `${family.name}_bucket`, labels: { ...labels, le }, value: count };
        });
        return [
          ...buckets,
          { metricName: `${family.name}_sum`, labels: { ...labels }, value: sum },
          { metricName: `${family.name}_count`, labels: { ...labels }, value: count },
        ];
      }),
    );
  }
  return {
    contentType: own.contentType,
    write: async () => `${await own.metrics()}\n${await process.metrics()}`,
    snapshot: async () =>
      [...(await own.getMetricsAsJSON()), ...(await process.getMetricsAsJSON())].map((metric) =>
        // The library leaves it out; a service is as old as its first process.
        metric.name === 'process_start_time_seconds' ? { ...metric, aggregator: 'min' } : metric,
      ) as unknown as Snapshot,
  };
}

function samplesOf<T>(
  family: Family<T>,
  sample: (labels: Labels, instrument: T) => Sample[],
): Sample[] {
  return [...family.series()].flatMap(({ labels, instrument }) => sample(labels, instrument));
}
