import assert from 'node:assert/strict';

/** What an operator's port shows at `/metrics`. */
export interface Shown {
  readonly text: string;
  /** Every name, `_bucket`, `_sum` and `_count` included. */
  readonly names: ReadonlySet<string>;
  /** The sum of all series of a name that have these labels. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
}

export async function readMetrics(
  port: number,
  headers: Record<string, string> = {},
): Promise<Shown> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const series = text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels, value: Number(value) }];
  });
  return {
    text,
    names: new Set(series.map(({ name }) => name)),
    sum: (name, labels = {}) =>
      series
        .filter((one) => one.name === name)
        .filter((one) =>
          Object.entries(labels).every(([key, value]) => one.labels.includes(`${key}="${value}"`)),
        )
        .reduce((sum, { value }) => sum + value, 0),
  };
}

/** The body and the status of a path of the port. */
export async function ask(port: number, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
}
