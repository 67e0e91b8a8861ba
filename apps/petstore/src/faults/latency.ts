import { draw } from './draw.ts';

/** The longest time that a fault may take, in milliseconds. */
export const MAX_LATENCY_MS = 30_000;

export const DISTRIBUTIONS = ['uniform', 'normal', 'exponential', 'pareto'] as const;

/** How long a request waits; times in milliseconds. */
export type Latency =
  | { readonly distribution: 'fixed'; readonly ms: number }
  | { readonly distribution: 'uniform'; readonly min: number; readonly max: number }
  | { readonly distribution: 'normal'; readonly mean: number; readonly deviation: number }
  | { readonly distribution: 'exponential'; readonly mean: number }
  /** No time is shorter than `min`; the smaller the shape, the longer are the longest. */
  | { readonly distribution: 'pareto'; readonly min: number; readonly shape: number };

/** The latency of a request in whole milliseconds, from 0 to MAX_LATENCY_MS. */
export function drawLatency(latency: Latency, seed: number, request: number): number {
  const uniform = draw(seed, request, 'latency');
  const ms = quantile(latency, uniform, () => draw(seed, request, 'latency again'));
  return Math.round(Math.min(Math.max(ms, 0), MAX_LATENCY_MS));
}

function quantile(latency: Latency, uniform: number, another: () => number): number {
  switch (latency.distribution) {
    case 'fixed':
      return latency.ms;
    case 'uniform':
      return latency.min + uniform * (latency.max - latency.min);
    case 'normal':
      // Box and Muller.
      return (
        latency.mean +
        latency.deviation *
          Math.sqrt(-2 * Math.log(1 - uniform)) *
          Math.cos(2 * Math.PI * another())
      );
    case 'exponential':
      return -latency.mean * Math.log(1 - uniform);
    case 'pareto':
      return latency.min / (1 - uniform) ** (1 / latency.shape);
  }
}
