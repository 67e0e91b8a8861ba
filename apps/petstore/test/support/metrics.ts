import assert from 'node:assert/strict';
import { timeUntil } from '@petstore/test-support/within.ts';

type Labels = Record<string, string>;

interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** What a service shows at `/metrics`, read as Prometheus reads it. */
export async function readMetrics(origin: string) {
  const response = await fetch(`${origin}/metrics`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const samples = (await response.text())
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(parseSample);
  return {
    /** Every name that has a sample. */
    names: new Set(samples.map(({ name }) => name)),
    /** The value of the series with just these labels. */
    value(name: string, labels: Labels = {}): number | undefined {
      const wanted = JSON.stringify(Object.entries(labels).sort());
      return samples.find(
        (sample) =>
          sample.name === name && JSON.stringify(Object.entries(sample.labels).sort()) === wanted,
      )?.value;
    },
    labels: (name: string) =>
      samples.filter((sample) => sample.name === name).map(({ labels }) => labels),
  };
}

/**
 * What a service of workers shows once `name` has at least this value. Of a worker that stands still for seconds, what
 * it told before is shown.
 */
export async function metricsOnce(origin: string, name: string, labels: Labels, value: number) {
  let metrics = await readMetrics(origin);
  await timeUntil(async () => {
    metrics = await readMetrics(origin);
    return (metrics.value(name, labels) ?? 0) >= value;
  });
  return metrics;
}

function parseSample(line: string): Sample {
  const [, name = '', labels = '', value] = /^([a-z_A-Z0-9]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  assert.ok(value !== undefined, `no sample: ${line}`);
  const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)];
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text])),
    value: Number(value),
  };
}
