import type { ServerProcess } from './processes.ts';
import { type Spread, spread } from './statistics.ts';

/** What both comparisons of the edge have in common. */
export const CONNECTIONS = 32;
export const WARM_UP_SECONDS = 2;
export const SERVERS = ['nginx', 'edge'] as const;
export type ServerName = (typeof SERVERS)[number];

/** A sample of each in turns, `rounds` times. The round before the first is the warm-up, and not kept. */
export async function inTurns<Name extends string, Sample>(
  names: readonly Name[],
  rounds: number,
  sample: (name: Name, isWarmUp: boolean) => Promise<Sample>,
): Promise<Record<Name, Sample[]>> {
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    Sample[]
  >;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const isWarmUp = round === 0;
      const taken = await sample(name, isWarmUp);
      if (!isWarmUp) samples[name].push(taken);
    }
  }
  return samples;
}

/** What a server used while it was worked on, from rest. */
export interface Used<Result> {
  readonly result: Result;
  readonly tookMs: number;
  readonly cpuMs: number;
  readonly peakMiB: number;
}

export async function measureUse<Result>(
  server: ServerProcess,
  work: () => Promise<Result>,
): Promise<Used<Result>> {
  await server.settle();
  server.resetPeak();
  const cpuBefore = server.cpuMs();
  const begun = performance.now();
  const result = await work();
  const tookMs = performance.now() - begun;
  const cpuMs = server.cpuMs() - cpuBefore;
  server.assertAlive();
  return { result, tookMs, cpuMs, peakMiB: server.peakMiB() };
}

/** The spread of each figure of a server's samples. */
export function spreadsOf<Figure extends string>(
  samples: readonly Readonly<Record<Figure, number>>[],
  figures: readonly Figure[],
): Record<Figure, Spread> {
  const spreads = figures.map((figure) => [figure, spread(samples.map((own) => own[figure]))]);
  return Object.fromEntries(spreads) as Record<Figure, Spread>;
}

/** A figure as a share of the other server's in the same round. */
export function ratioOf<Figure extends string>(
  figure: Figure,
  samples: readonly Readonly<Record<Figure, number>>[],
  others: readonly Readonly<Record<Figure, number>>[],
): Spread {
  return spread(samples.map((own, at) => own[figure] / (others[at]?.[figure] ?? Number.NaN)));
}
