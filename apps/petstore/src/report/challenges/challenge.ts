import type { ResourceStore } from '../../store/store.ts';
import type { Rule } from '../rule.ts';

/** A fault rule of a challenge, as `/v1/faults` takes it. */
export interface ChallengeFault {
  readonly fault: string;
  readonly operations?: readonly string[];
  readonly from?: number;
  readonly times?: number;
}

/** Something to do with a client, in a sandbox that makes it hard. */
export interface Challenge {
  readonly code: string;
  readonly title: string;
  /** What the client is to do, in sentences. */
  readonly task: string;
  /** Rules that have to be seen and kept. */
  readonly rules: readonly Rule[];
  /** Rules that must not be broken, seen or not. */
  readonly watched: readonly Rule[];
  /** How long the client may wait for a response, in milliseconds. */
  readonly longestWaitMs: number;
  /** Whether the webhooks of the sandbox are tried when the challenge ends. */
  readonly triesWebhooks: boolean;
  /** Puts what the task needs beside the data that the sandbox begins with. */
  prepare(store: ResourceStore, seed: number): Promise<void>;
  /** What goes wrong. */
  faults(seed: number): readonly ChallengeFault[];
  /** What others do before a page behind `after` is read. */
  beforePage?(store: ResourceStore, after: bigint): Promise<void>;
}

/** How long a client may wait where a challenge does not say: much longer than any response takes. */
export const LONGEST_WAIT_MS = 60_000;

/** The animals of every challenge with a list: enough for three pages of ten. */
const ANIMALS = 25;

const NAMES = ['Bella', 'Milo', 'Luna', 'Rocky', 'Coco', 'Nala', 'Simba', 'Poppy', 'Oscar', 'Ruby'];

/** Adds animals, where a sandbox has few, whose names depend on the seed. */
export async function addAnimals({ pets }: ResourceStore, seed: number): Promise<void> {
  const { json } = await pets.list({ limit: ANIMALS, after: undefined, status: undefined });
  for (let i = (JSON.parse(json) as unknown[]).length; i < ANIMALS; i++) {
    const name = `${NAMES[(seed + i * 7) % NAMES.length]} ${i + 1}`;
    const status = i % 5 === 0 ? 'sold' : 'available';
    await pets.create({ name, categoryId: BigInt(1 + ((seed + i) % 5)), status });
  }
}

interface Definition
  extends Pick<Challenge, 'code' | 'title' | 'task' | 'rules'>,
    Partial<
      Pick<
        Challenge,
        'watched' | 'longestWaitMs' | 'triesWebhooks' | 'prepare' | 'faults' | 'beforePage'
      >
    > {}

/** A challenge whose sandbox has animals to list, and in which nothing goes wrong unless it says so. */
export function challenge(definition: Definition): Challenge {
  return {
    watched: [],
    longestWaitMs: LONGEST_WAIT_MS,
    triesWebhooks: false,
    prepare: addAnimals,
    faults: () => [],
    ...definition,
  };
}
