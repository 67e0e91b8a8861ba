/** What the runner tells a contender, in environment variables. */
export const settings = {
  port: Number(required('BENCH_PORT')),
  key: required('BENCH_KEY'),
  /** Path of the file in which the animals are. */
  data: required('BENCH_DATA'),
};

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: the benchmark starts this program`);
  return value;
}
