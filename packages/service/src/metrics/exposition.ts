import {
  AggregatorRegistry,
  collectDefaultMetrics,
  type Metric,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { Family, Labels, Metrics } from './instruments.ts';

/** One line of the text. `metricName` where it differs from the metric's own: `_bucket`, `_sum`, `_count`. */
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

/** What stays of a process that has ended: its counts stay in the sums, and its gauges are gone. */
export function countsOf(snapshot: Snapshot): Snapshot {
  return snapshot.filter(({ type }) => `${type}` === 'counter' || `${type}` === 'histogram');
}

/** The metrics of several processes, combined. */
export function aggregate(snapshots: readonly Snapshot[]): Registry {
  return AggregatorRegistry.aggregate(snapshots as unknown as object[]);
}

/**
 * Metrics for which Node returns the objects themselves. It aborts the process where one of them is already gone
 * (`AsyncWrap::GetOwner`). `nodejs_active_resources` has their kinds and numbers.
 */
const UNSAFE = ['handles', 'requests'].flatMap((kind) => [
  `nodejs_active_${kind}`,
  `nodejs_active_${kind}_total`,
]);

/** Processor, memory, event loop and garbage collection: metrics of the process itself. */
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
    for (const name of UNSAFE) ofProcess.removeSingleMetric(name);
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
    // The registry needs no more of a metric than its name and this one call.
    const metric = { name, get: async () => ({ name, help, type, values: samples(), aggregator }) };
    own.registerMetric(metric as unknown as Metric);
  };
  for (const [name, readings] of Map.groupBy(metrics.readings, (reading) => reading.name)) {
    const [{ type, help, aggregator }] = readings as [(typeof readings)[0]];
    const samples = () =>
      readings.map(({ labels, read }) => ({ labels: { ...labels }, value: read() }));
    register(name, help, type, samples, aggregator);
  }
  for (const family of metrics.counters) {
    register(family.name, family.help, 'counter', () =>
      samplesOf(family, (labels, { value }) => [{ labels: { ...labels }, value }]),
    );
  }
  for (const family of metrics.levels) {
    register(family.name, family.help, 'gauge', () =>
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
        // The library leaves it out. The start time of a service is that of its first process.
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
