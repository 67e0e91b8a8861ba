import { interruption } from '@petstore/service/interruption.ts';
import { showProgress } from '@petstore/service/progress.ts';
import type { Command } from 'commander';
import type { PetFields, PetStatus } from '../pets/pet.ts';
import type { Store } from '../store/store.ts';
import { batchInserter, GROUP_SIZE } from './batch-inserter.ts';
import { subcommand } from './subcommand.ts';
import { readInteger } from './time-options.ts';
import { onRecord, withStore } from './with-store.ts';

const MAX_COUNT = 100_000_000;
const MAX_SEED = 2 ** 32 - 1;

export function seedCommand(): Command {
  return subcommand('seed')
    .description('Add synthetic animals, to try the store with many. Works beside the service.')
    .requiredOption('--count <n>', `how many animals to add, 1 to ${MAX_COUNT}`)
    .option(
      '--seed <s>',
      `which animals: the same number gives the same ones, 0 to ${MAX_SEED}`,
      '1',
    )
    .action(async (options: { count: string; seed: string }) => {
      const count = readInteger('--count', options.count, 1, MAX_COUNT);
      const seed = readInteger('--seed', options.seed, 0, MAX_SEED);
      await withStore({}, (store) => addSynthetic(store, count, seed));
    });
}

async function addSynthetic({ pets, audit }: Store, count: number, seed: number): Promise<void> {
  const start = performance.now();
  const stop = interruption();
  const progress = await showProgress(count);
  const adding = batchInserter(pets);
  let added = 0;
  const addAll = async () => {
    for (let from = 0; from < count && !stop.aborted; from += GROUP_SIZE) {
      const group = Array.from({ length: Math.min(GROUP_SIZE, count - from) }, (_, i) => ({
        id: undefined,
        ...syntheticPet(seed, from + i),
      }));
      await adding.add(group, (outcomes) => {
        added += outcomes.length;
        progress.update(added, `${added} of ${count} animals`);
      });
    }
    await adding.finish();
  };
  await onRecord(
    audit,
    () => addAll().finally(() => progress.stop()),
    () => ({ action: 'pets.seeded', subject: `seed ${seed}`, detail: { count, added } }),
    () => {
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      const why = added < count && stop.aborted ? `, then stopped by ${stop.reason}` : '';
      return `Added ${added} of ${count} animals in ${seconds} s${why}.`;
    },
  );
}

/** Made-up animals for load tests: the same seed gives the same ones. */

const NAMES =
  'Bella Charlie Luna Max Lucy Cooper Daisy Milo Zoe Buddy Lily Rocky Lola Bear Sadie Tucker Molly Oliver Bailey Duke Maggie Leo Sophie Jack Chloe Toby Stella Oscar Penny Rex Nala Ziggy Mia Simba Coco Felix Ruby Jasper Willow Smokey Hazel Gizmo Olive Pepper Ivy Chester Poppy Whiskers Frida Shadow'.split(
    ' ',
  );

const EPITHETS =
  'Amber Bold Brave Bright Clever Curious Dusty Fluffy Gentle Golden Jolly Lazy Little Lucky Mellow Misty Nimble Patchy Proud Quick Quiet Scruffy Shy Silver Sleepy Snowy Speckled Spotted Striped Swift Tiny Wild'.split(
    ' ',
  );

/** Ids of the categories: dogs are more common than iguanas, so low ids come up more often. */
const CATEGORIES = 24;

/** Of a hundred animals 70 can be had, 10 are being sold, and 20 have found a home. */
function statusOf(percent: number): PetStatus {
  if (percent < 70) return 'available';
  return percent < 80 ? 'pending' : 'sold';
}

/**
 * The animal at a position (from 0) in the sequence of a seed (32 bits). It depends on nothing else, so a longer
 * sequence begins with the shorter one.
 */
function syntheticPet(seed: number, place: number): PetFields {
  const a = mix(seed ^ mix(place));
  const b = mix(a + 0x9e3779b9);
  const name = NAMES[a % NAMES.length];
  const epithet = EPITHETS[(a >>> 16) % EPITHETS.length];
  // The smaller of two even draws: the lower, the likelier.
  const category = Math.min(b % CATEGORIES, (b >>> 8) % CATEGORIES);
  return {
    name: `${epithet} ${name}`,
    categoryId: BigInt(category + 1),
    status: statusOf((b >>> 16) % 100),
  };
}

/** A 32-bit integer in, one out that has nothing of its pattern: the finalizer of MurmurHash3. */
function mix(value: number): number {
  let hash = value >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
