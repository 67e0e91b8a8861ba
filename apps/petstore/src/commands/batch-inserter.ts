import { setTimeout as sleep } from 'node:timers/promises';
import type { AddOutcome, BulkPetStore, ImportedPet } from '../store/contract/pet-store.ts';

/**
 * Animals in one transaction. It takes some 20 ms, for which the service's own writes wait; larger
 * groups are hardly faster.
 */
export const GROUP_SIZE = 5_000;

/**
 * The pause between two transactions, in milliseconds. The service tries the lock each millisecond, so it gets its turn
 * after every group.
 */
const PAUSE_MS = 3;

export interface BatchInserter {
  /**
   * Takes the next group; `onStored` is called when it is on disk. Resolves when another group may come: one can be
   * prepared while another is stored. Rejects with the error of an earlier group.
   */
  add(
    group: readonly ImportedPet[],
    onStored: (outcomes: readonly AddOutcome[]) => void,
  ): Promise<void>;
  /** Resolves when everything that was handed over is on disk. */
  finish(): Promise<void>;
}

export function batchInserter(pets: BulkPetStore): BatchInserter {
  let underWay: Promise<void> | undefined;
  return {
    async add(group, onStored) {
      if (underWay) {
        await underWay;
        await sleep(PAUSE_MS);
      }
      underWay = pets.addMany(group).then(onStored);
      // The next caller that waits for it gets the error; until then nobody may be waiting.
      underWay.catch(() => {});
    },
    async finish() {
      await underWay;
    },
  };
}
