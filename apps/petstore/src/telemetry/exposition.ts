import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
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

/** Processor, memory, event loop and garbage collection: the process has them once, whatever it serves. */
let ofProcess: Registry | undefined;

/**
 * Makes the function that writes all metrics in Prometheus' text format, with those of the process
 * under their usual names (`process_…`, `nodejs_…`).
 */
export function exposition(metrics: Metrics): Exposition {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  const process = ofProcess;
  const own = new Registry();
  const register = (name: string, help: string, type: Type, samples: () => Sample[]) => {
    // What a registry asks of a metric when it writes is this one call, and its name.
    const metric = { name, get: async () => ({ name, help, type, values: samples() }) };
    own.registerMetric(metric as unknown as Metric);
  };
  for (const [name, readings] of Map.groupBy(metrics.readings, (reading) => reading.name)) {
    const [{ type, help }] = readings as [(typeof readings)[0]];
    register(name, help, type, () =>
      readings.map(({ labels, read }) => ({ labels: { ...labels }, value: read() })),
    );
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
  };
}

function samplesOf<T>(
  family: Family<T>,
  sample: (labels: Labels, instrument: T) => Sample[],
): Sample[] {
  return [...family.series()].flatMap(({ labels, instrument }) => sample(labels, instrument));
}
