import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { generateKey, type KeyRecord, MAX_KEY_NAME_LENGTH } from '../keys/key.ts';
import { openStore } from '../store/open-store.ts';
import type { KeyStore } from '../store/store.ts';
import { UserError } from '../user-error.ts';

export function keysCommand(): Command {
  const json = ['--json', 'print JSON, for scripts'] as const;
  const keys = new Command('keys').description('make, list and revoke API keys');

  keys
    .command('create')
    .description('make a key and show it, this once')
    .requiredOption('--name <name>', 'what the key is for, for people to read')
    .option(...json)
    .action(async (options: { name: string; json?: boolean }) => {
      const { environment } = readConfig(process.env);
      const made = generateKey(readName(options.name), environment, new Date());
      await withKeys((store) => store.add(made));
      const { id, name } = made.record;
      print(
        options.json
          ? JSON.stringify({ id, name, key: made.key })
          : `Made the ${environment} key "${name}" (${id}). It is shown this once:\n\n  ${made.key}\n`,
      );
    });

  keys
    .command('list')
    .description('list the keys; the keys themselves are not stored')
    .option(...json)
    .action(async (options: { json?: boolean }) => {
      const records = await withKeys((store) => store.list());
      print(options.json ? JSON.stringify(records.map(asJson)) : table(records));
    });

  keys
    .command('revoke')
    .description('revoke a key, from the next request on')
    .argument('<id>', 'id of the key, as `petstore keys list` shows it')
    .action(async (id: string) => {
      const outcome = await withKeys((store) => store.revoke(id, new Date()));
      if (outcome === 'not_found') {
        throw new UserError(
          `No key has the id ${JSON.stringify(id)}. \`petstore keys list\` shows them.`,
        );
      }
      print(outcome === 'revoked' ? `Revoked ${id}.` : `${id} was revoked before.`);
    });

  return keys;
}

async function withKeys<T>(work: (keys: KeyStore) => Promise<T>): Promise<T> {
  const store = openStore(readConfig(process.env).databaseUrl);
  try {
    return await work(store.keys);
  } finally {
    await store.close();
  }
}

function readName(name: string): string {
  const length = [...name].length;
  if (length < 1 || length > MAX_KEY_NAME_LENGTH || /\p{C}/u.test(name)) {
    throw new UserError(
      `--name must be 1 to ${MAX_KEY_NAME_LENGTH} characters long, without control characters.`,
    );
  }
  return name;
}

function asJson({ id, name, createdAt, revokedAt }: KeyRecord) {
  return {
    id,
    name,
    createdAt: createdAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}

function table(records: readonly KeyRecord[]): string {
  if (records.length === 0) return 'No keys yet. Make one: petstore keys create --name NAME';
  const rows = [
    ['ID', 'CREATED', 'REVOKED', 'NAME'],
    ...records.map(({ id, name, createdAt, revokedAt }) => [
      id,
      minute(createdAt),
      revokedAt ? minute(revokedAt) : '-',
      name,
    ]),
  ];
  const widths = [0, 1, 2].map((column) =>
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

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
