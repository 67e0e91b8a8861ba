import { AcmeProblem } from './acme-problem.ts';
import { newId } from './resources.ts';

/** How many are kept; older ones are invalid. */
const KEPT = 1_000;

/** RFC 8555, section 6.5: each is valid once. */
export interface Nonces {
  make(): string;
  /** Throws AcmeProblem (badNonce). */
  use(nonce: string): void;
}

/** `refused`: one in so many valid nonces is refused, which clients must tolerate; 0: none. */
export function createNonces(refused: number): Nonces {
  const good = new Set<string>();
  let used = 0;
  return {
    make() {
      const nonce = newId();
      good.add(nonce);
      const [oldest] = good;
      if (good.size > KEPT && oldest !== undefined) good.delete(oldest);
      return nonce;
    },
    use(nonce) {
      used += 1;
      if (!good.delete(nonce) || (refused > 0 && used % refused === 0)) {
        throw new AcmeProblem('badNonce', 'The nonce is invalid, or was used before.');
      }
    },
  };
}
