import { print } from '@petstore/service/commands.ts';
import type { Command } from 'commander';
import type { KeyRecord } from '../keys/key.ts';
import { JSON_OPTION, withKeys } from './key-options.ts';
import { subcommand } from './subcommand.ts';
import { minute, table } from './table.ts';

export function listCommand(): Command {
  return subcommand('keys', 'list')
    .description('List the keys by id and name. The secrets are not stored.')
    .option(...JSON_OPTION)
    .action(async (options: { json?: boolean }) => {
      const records = await withKeys({ mustExist: true }, (keys) => keys.list());
      await print(options.json ? JSON.stringify(records.map(asJson)) : forPeople(records));
    });
}

function asJson({ id, name, environment, scopes, ...key }: KeyRecord) {
  return {
    id,
    name,
    environment,
    createdAt: key.createdAt,
    revokedAt: key.revokedAt ?? null,
    scopes,
    expiresAt: key.expiresAt ?? null,
    lastUsedAt: key.lastUsedAt ?? null,
    replacedBy: key.replacedBy ?? null,
  };
}

function forPeople(records: readonly KeyRecord[]): string {
  if (records.length === 0) return 'No keys yet. Make one: petstore keys create --name NAME';
  return table([
    ['ID', 'FOR', 'CREATED', 'EXPIRES', 'LAST USED', 'REVOKED', 'SCOPES', 'NAME'],
    ...records.map(({ id, environment, createdAt, expiresAt, lastUsedAt, revokedAt, ...key }) => [
      ...[id, environment],
      ...[createdAt, expiresAt, lastUsedAt, revokedAt].map((date) => (date ? minute(date) : '-')),
      ...[key.scopes.join(','), key.name],
    ]),
  ]);
}
