import { setTimeout as sleep } from 'node:timers/promises';
import { AcmeProblem, type ProblemType } from './acme-problem.ts';

/** What can be asked of the authority, as RFC 8555 names it; `validation`: what it asks of a host itself. */
export const CALLS = [
  'directory',
  'newNonce',
  'newAccount',
  'account',
  'orders',
  'newOrder',
  'order',
  'authorization',
  'challenge',
  'finalize',
  'certificate',
  'renewalInfo',
  'validation',
] as const;
export type Call = (typeof CALLS)[number];

export interface Failure {
  readonly at: Call;
  readonly type: ProblemType;
  readonly detail?: string;
  readonly status?: number;
  /** The header, as it is sent. */
  readonly retryAfter?: string;
  /** Of a validation: only this challenge. */
  readonly challenge?: string;
  /** How often, from now on; always where it is left out. */
  readonly times?: number;
}

/** What goes wrong at an authority because it was told to. */
export interface Mishaps {
  fail(failure: Failure): void;
  /** Has a call take so much longer, in milliseconds. */
  delay(at: Call, ms: number): void;
  /** All goes well again. */
  behave(): void;
  /** Rejects with AcmeProblem, or waits, where it was told to. */
  strike(at: Call, challenge?: string): Promise<void>;
}

export function createMishaps(): Mishaps {
  const failures: { failure: Failure; left: number }[] = [];
  const delays = new Map<Call, number>();
  return {
    fail: (failure) => void failures.push({ failure, left: failure.times ?? Infinity }),
    delay: (at, ms) => void delays.set(at, ms),
    behave() {
      failures.length = 0;
      delays.clear();
    },
    async strike(at, challenge) {
      const ms = delays.get(at);
      if (ms !== undefined) await sleep(ms);
      const entry = failures.find(
        ({ failure, left }) =>
          left > 0 &&
          failure.at === at &&
          (failure.challenge === undefined || failure.challenge === challenge),
      );
      if (!entry) return;
      entry.left -= 1;
      const { type, status, retryAfter, detail = `${type}, as was asked` } = entry.failure;
      throw new AcmeProblem(type, detail, { status, retryAfter });
    },
  };
}
