import { interruption } from '@petstore/service/interruption.ts';
import { showProgress } from '@petstore/service/progress.ts';
import type { Command } from 'commander';
import { MAX_SEED, syntheticPet } from '../pets/synthetic-pet.ts';
import type { Store } from '../store/store.ts';
import { batchInserter, GROUP_SIZE } from './batch-inserter.ts';
import { subcommand } from './subcommand.ts';
import { readInteger } from './time-options.ts';
import { onRecord, recordStart, withStore } from './with-store.ts';

const MAX_COUNT = 100_000_000;

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
  const subject = `seed ${seed}`;
  const addAll = async () => {
    await recordStart(audit, 'pets.seed_started', subject, { count });
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
    () => ({ action: 'pets.seeded', subject, detail: { count, added } }),
    () => {
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      const why = added < count && stop.aborted ? `, then stopped by ${stop.reason}` : '';
      return `Added ${added} of ${count} animals in ${seconds} s${why}.`;
    },
  );
}
