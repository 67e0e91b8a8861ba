import { hash } from 'node:crypto';

const BITS = 48;

/**
 * A number from 0 up to but not including 1 that looks random and is always the same for the same seed, number of the
 * request, and purpose, on any machine.
 */
export function draw(seed: number, request: number, purpose: string): number {
  const digest = hash('sha256', `${seed}/${request}/${purpose}`, 'buffer');
  return digest.readUIntBE(0, BITS / 8) / 2 ** BITS;
}
