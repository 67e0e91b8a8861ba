import assert from 'node:assert/strict';

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
