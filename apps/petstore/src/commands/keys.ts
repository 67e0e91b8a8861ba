import { print } from '@petstore/service/commands.ts';
import { databasePlace } from '@petstore/service/database-url.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import {
  generateKey,
  hashKey,
  type KeyRecord,
  looksLikeKey,
  MAX_KEY_NAME_LENGTH,
} from '../keys/key.ts';
import { DATABASE_VARIABLE } from '../store/open-store.ts';
import type { KeyStore, StoreOptions } from '../store/store.ts';
import { subcommand } from './subcommand.ts';
import { withStore } from './with-store.ts';

export function keysCommand(): Command {
  return subcommand('keys')
    .description('Make, list and revoke API keys.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand());
}

const JSON_OPTION = ['--json', 'print JSON, for scripts'] as const;

function createCommand(): Command {
  return subcommand('keys', 'create')
    .description('Make a key and show it, this once.')
    .requiredOption('--name <name>', 'what the key is for, for people to read')
    .option(...JSON_OPTION)
    .action(async (options: { name: string; json?: boolean }) => {
      const { environment, databaseUrl } = readConfig(process.env);
      const made = generateKey(readName(options.name), environment, new Date());
      const { id, name } = made.record;
      const where = databasePlace(DATABASE_VARIABLE, databaseUrl);
      const text = options.json
        ? JSON.stringify({ id, name, key: made.key })
        : `Made the ${environment} key "${name}" (${id}) in ${where}.\nIt is shown this once:\n\n  ${made.key}\n`;
      await withKeys({ mustExist: false }, async (store) => {
        await store.add(made);
        try {
          await print(text);
        } catch (error) {
          await store.revoke(id, new Date());
          throw new UserError('The key could not be shown, so it was revoked again.', {
            cause: error,
          });
        }
      });
    });
}

function listCommand(): Command {
  return subcommand('keys', 'list')
    .description('List the keys by id and name. The secrets are not stored.')
    .option(...JSON_OPTION)
    .action(async (options: { json?: boolean }) => {
      const records = await withKeys({ mustExist: true }, (store) => store.list());
      await print(options.json ? JSON.stringify(records.map(asJson)) : table(records));
    });
}

function revokeCommand(): Command {
  return subcommand('keys', 'revoke')
    .description('Revoke a key, from the next request on.')
    .argument('<id>', 'id of the key, as `petstore keys list` shows it, or a key that leaked')
    .action(async (idOrKey: string) => {
      const { id, outcome } = await withKeys({ mustExist: true }, async (store) => {
        const id = looksLikeKey(idOrKey) ? await store.idOf(hashKey(idOrKey)) : idOrKey;
        return { id, outcome: id === undefined ? 'not_found' : await store.revoke(id, new Date()) };
      });
      if (outcome === 'not_found') {
        // A key is not repeated, not even a wrong one: it may be right elsewhere.
        const what = looksLikeKey(idOrKey)
          ? 'This key is not in the database.'
          : `No key has the id ${JSON.stringify(idOrKey)}.`;
        throw new UserError(`${what} \`petstore keys list\` shows the ids.`);
      }
      await print(outcome === 'revoked' ? `Revoked ${id}.` : `${id} was revoked before.`);
    });
}

async function withKeys<T>(
  options: Pick<StoreOptions, 'mustExist'>,
  work: (keys: KeyStore) => Promise<T>,
): Promise<T> {
  const instead = '`petstore serve` makes it a key when it starts';
  return withStore({ ...options, instead }, ({ keys }) => work(keys));
}

function readName(name: string): string {
  const length = [...name].length;
  const isLegible = /^[^\s-]/.test(name) && !/\p{C}/u.test(name);
  if (!isLegible || length > MAX_KEY_NAME_LENGTH) {
    throw new UserError(
      `--name must be 1 to ${MAX_KEY_NAME_LENGTH} characters long, without control characters, and must not begin with a space or a dash.`,
    );
  }
  return name;
}

function asJson({ id, name, environment, createdAt, revokedAt }: KeyRecord) {
  return {
    id,
    name,
    environment,
    createdAt: createdAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}

function table(records: readonly KeyRecord[]): string {
  if (records.length === 0) return 'No keys yet. Make one: petstore keys create --name NAME';
  const rows = [
    ['ID', 'FOR', 'CREATED', 'REVOKED', 'NAME'],
    ...records.map(({ id, name, environment, createdAt, revokedAt }) => [
      id,
      environment,
      minute(createdAt),
      revokedAt ? minute(revokedAt) : '-',
      name,
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .join('\n');
}

/** To the minute, in UTC: `2026-11-21 08:40Z`. */
function minute(date: Date): string {
  return date
    .toISOString()
    .replace('T', ' ')
    .replace(/:\d\d\.\d+Z$/, 'Z');
}
