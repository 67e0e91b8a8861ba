import { print } from '@petstore/service/commands.ts';
import { table, toMinute } from '@petstore/service/table.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { MAX_SEED } from '../pets/synthetic-pet.ts';
import {
  makeSandbox,
  sandboxCreated,
  sandboxDeleted,
  shownOnce,
} from '../sandboxes/make-sandbox.ts';
import {
  DEFAULT_PETS,
  isSnapshotName,
  LONGEST_TTL_DAYS,
  MAX_PETS,
  MAX_SANDBOX_NAME_LENGTH,
  MAX_SNAPSHOTS,
  MIN_TTL_SECONDS,
} from '../sandboxes/sandbox.ts';
import { isOffered } from '../stability.ts';
import {
  MADE_BY_COMMAND,
  type SandboxRecord,
  type SandboxRows,
} from '../store/contract/sandbox-rows.ts';
import { noSandbox, SANDBOX_ID_TEXT, sandboxIdOf } from './sandbox-id.ts';
import { JSON_OPTION, subcommand } from './subcommand.ts';
import { readDuration, readInteger } from './time-options.ts';
import { withStore } from './with-store.ts';

/** How long the command lets a sandbox live: longer than a request may ask for. */
const TTL_BOUNDS = { min: `${MIN_TTL_SECONDS}s`, max: `${LONGEST_TTL_DAYS}d` };

const ID = ['<id>', SANDBOX_ID_TEXT] as const;

export function sandboxCommand(): Command {
  return subcommand('sandbox')
    .description('Make, list, reset and delete sandboxes: small stores to try things on.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(
      changeCommand('reset', 'Make the data of a sandbox what they were at its beginning.', {
        change: (rows, id) => rows.reset(id),
        done: (id) => `Reset ${id}.`,
      }),
    )
    .addCommand(snapshotCommand())
    .addCommand(restoreCommand())
    .addCommand(deleteCommand());
}

interface CreateOptions {
  readonly ttl: string;
  readonly seed?: string;
  readonly pets: string;
  readonly name?: string;
  readonly json?: boolean;
}

function createCommand(): Command {
  return subcommand('sandbox', 'create')
    .description('Make a sandbox and show its key, this once.')
    .option(
      '--ttl <duration>',
      `how long it lives: 30m, 1h, 7d and the like, up to ${TTL_BOUNDS.max}`,
      '1h',
    )
    .option(
      '--seed <n>',
      `which data: the same number gives the same ones, 0 to ${MAX_SEED} (random)`,
    )
    .option('--pets <n>', `how many animals it begins with, 0 to ${MAX_PETS}`, `${DEFAULT_PETS}`)
    .option('--name <name>', 'what it is for, for people to read')
    .option(...JSON_OPTION)
    .action(async ({ ttl, seed, pets, name, json }: CreateOptions) => {
      const { sandboxes: mode, maxSandboxes: total, stability } = readConfig(process.env);
      const made = makeSandbox({
        now: new Date(),
        ttlSeconds: readDuration('--ttl', ttl, TTL_BOUNDS) / 1_000,
        seed: seed === undefined ? undefined : readInteger('--seed', seed, 0, MAX_SEED),
        pets: readInteger('--pets', pets, 0, MAX_PETS),
        name: name === undefined ? undefined : readName(name),
        madeBy: MADE_BY_COMMAND,
      });
      if (mode === 'off') {
        throw new UserError(
          'PETSTORE_SANDBOXES is off, so the service would accept no key of a sandbox. Set it to keys or open.',
        );
      }
      if (!isOffered({ stability: 'experimental' }, stability)) {
        throw new UserError(
          `PETSTORE_STABILITY is ${stability}, so the service would accept no key of a sandbox. Set it to experimental.`,
        );
      }
      await withSandboxes(false, async (rows) => {
        const bounds = { total, ofMaker: undefined };
        if ((await rows.add(made.row, bounds, sandboxCreated(made.row))) !== 'added') {
          throw new UserError(
            `There are ${total} sandboxes, as many as PETSTORE_MAX_SANDBOXES allows. Delete one, or raise it.`,
          );
        }
        const { id, seed, expiresAt } = made.row;
        try {
          await print(
            json
              ? JSON.stringify(shownOnce(made))
              : `Created the sandbox ${id} from the seed ${seed}. It ends at ${toMinute(expiresAt)}.\nIts key is shown this once:\n\n  ${made.key}\n`,
          );
        } catch (cause) {
          await rows.remove(id);
          throw new UserError('The key could not be shown, so the sandbox was deleted again.', {
            cause,
          });
        }
      });
    });
}

function listCommand(): Command {
  return subcommand('sandbox', 'list')
    .description('List the sandboxes that have not ended.')
    .option(...JSON_OPTION)
    .action(async ({ json }: { json?: boolean }) => {
      const now = new Date();
      const all = await withSandboxes(true, (rows) => rows.list());
      const live = all.filter(({ expiresAt }) => expiresAt > now);
      await print(json ? JSON.stringify(live) : forPeople(live));
    });
}

function forPeople(sandboxes: readonly SandboxRecord[]): string {
  if (sandboxes.length === 0) return 'No sandboxes. Make one: petstore sandbox create';
  return table([
    ['ID', 'ENDS', 'SEED', 'MADE BY', 'NAME'],
    ...sandboxes.map(({ id, expiresAt, seed, madeBy, name }) => [
      ...[id, toMinute(expiresAt), `${seed}`, madeBy, name || '-'],
    ]),
  ]);
}

function deleteCommand(): Command {
  return changeCommand('delete', 'Delete a sandbox, from the next request on.', {
    change: (rows, id) => rows.remove(id, sandboxDeleted(id, new Date())),
    done: (id) => `Deleted ${id}.`,
  });
}

/** A command that changes one sandbox. */
function changeCommand(
  word: string,
  description: string,
  how: {
    readonly change: (rows: SandboxRows, id: string) => Promise<boolean>;
    readonly done: (id: string) => string;
  },
): Command {
  return subcommand('sandbox', word)
    .description(description)
    .argument(...ID)
    .action((idOrKey: string) =>
      withSandboxes(true, async (rows) => {
        const id = await sandboxIdOf(rows, idOrKey);
        if (!(await how.change(rows, id))) throw noSandbox();
        await print(how.done(id));
      }),
    );
}

function snapshotCommand(): Command {
  return subcommand('sandbox', 'snapshot')
    .description(
      'Keep the data of a sandbox as they are now, in place of an older snapshot of this name.',
    )
    .argument(...ID)
    .argument('<name>', 'name of the snapshot')
    .action((idOrKey: string, name: string) =>
      withSandboxes(true, async (rows) => {
        const id = await sandboxIdOf(rows, idOrKey);
        if (!isSnapshotName(name)) {
          throw new UserError(
            `The name of a snapshot must be 1 to 50 letters, digits, dots, dashes and underscores, the first a letter or a digit; got ${JSON.stringify(name)}.`,
          );
        }
        const outcome = await rows.snapshots.save(id, name, new Date(), MAX_SNAPSHOTS);
        if (outcome === 'not_found') throw noSandbox();
        if (outcome === 'too_many') {
          throw new UserError(
            `${id} has ${MAX_SNAPSHOTS} snapshots already. Use the name of one of them, to replace it.`,
          );
        }
        await print(`Kept ${id} as ${name}.`);
      }),
    );
}

function restoreCommand(): Command {
  return subcommand('sandbox', 'restore')
    .description('Make the data of a sandbox what they were when a snapshot was kept.')
    .argument(...ID)
    .argument('<name>', 'name of the snapshot')
    .action((idOrKey: string, name: string) =>
      withSandboxes(true, async (rows) => {
        const id = await sandboxIdOf(rows, idOrKey);
        if ((await rows.snapshots.restore(id, name)) === 'not_found') {
          const names = (await rows.snapshots.list(id)).map((snapshot) => snapshot.name);
          const there = names.length > 0 ? `It has ${names.join(', ')}.` : 'It has none.';
          throw new UserError(`${id} has no snapshot ${JSON.stringify(name)}. ${there}`);
        }
        await print(`Restored ${id} from ${name}.`);
      }),
    );
}

function withSandboxes<T>(mustExist: boolean, work: (rows: SandboxRows) => Promise<T>): Promise<T> {
  const instead = 'POST /v1/sandboxes makes a sandbox in it';
  return withStore({ mustExist, instead }, ({ sandboxes }) => work(sandboxes));
}

function readName(name: string): string {
  const length = [...name].length;
  if (length >= 1 && length <= MAX_SANDBOX_NAME_LENGTH && !/\p{C}/u.test(name)) return name;
  throw new UserError(
    `--name must be 1 to ${MAX_SANDBOX_NAME_LENGTH} characters long, without control characters.`,
  );
}
