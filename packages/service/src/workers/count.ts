import { availableParallelism } from 'node:os';
import { InvalidArgumentError } from 'commander';

const MAX = 256;

/** Reads how many processes are wanted: a number from 1 to 256, or `auto` for one for each core. */
export function readWorkers(text: string): number {
  if (text === 'auto') return Math.min(MAX, availableParallelism());
  const count = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN;
  if (count <= MAX) return count;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX}, or auto.`);
}
