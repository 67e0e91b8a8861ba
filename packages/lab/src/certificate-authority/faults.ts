import { setTimeout as sleep } from 'node:timers/promises';
import { AcmeProblem, type ProblemType } from './acme-problem.ts';

/** The requests to the authority, as RFC 8555 names them; `validation`: its own request to a host. */
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

/** An error with which the authority responds on purpose. */
export interface Fault {
  readonly at: Call;
  readonly type: ProblemType;
  readonly detail?: string;
  readonly status?: number;
  /** The Retry-After header. */
  readonly retryAfter?: string;
  /** For a validation: only this challenge. */
  readonly challenge?: string;
  /** How many times, from now on; always by default. */
  readonly times?: number;
}

/** Injected faults, for tests and the lab. */
export interface Faults {
  inject(fault: Fault): void;
  /** Delays each such call, in milliseconds. */
  delay(at: Call, ms: number): void;
  /** Removes all faults and delays. */
  clear(): void;
  /** Rejects with an AcmeProblem, or waits, where a fault or delay was injected. */
  trigger(at: Call, challenge?: string): Promise<void>;
}

export function createFaults(): Faults {
  const faults: { fault: Fault; left: number }[] = [];
  const delays = new Map<Call, number>();
  return {
    inject: (fault) => void faults.push({ fault, left: fault.times ?? Infinity }),
    delay: (at, ms) => void delays.set(at, ms),
    clear() {
      faults.length = 0;
      delays.clear();
    },
    async trigger(at, challenge) {
      const ms = delays.get(at);
      if (ms !== undefined) await sleep(ms);
      const entry = faults.find(
        ({ fault, left }) =>
          left > 0 &&
          fault.at === at &&
          (fault.challenge === undefined || fault.challenge === challenge),
      );
      if (!entry) return;
      entry.left -= 1;
      const { type, status, retryAfter, detail = `an injected ${type}` } = entry.fault;
      throw new AcmeProblem(type, detail, { status, retryAfter });
    },
  };
}
