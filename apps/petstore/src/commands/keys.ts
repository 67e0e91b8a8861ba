import { print } from '@petstore/service/commands.ts';
import { table, toMinute } from '@petstore/service/table.ts';
import type { Command } from 'commander';
import type { KeyRecord } from '../keys/key.ts';
import { keyId, keyNotFound, withKeys } from './key-options.ts';
import { createCommand } from './keys-create.ts';
import { rotateCommand } from './keys-rotate.ts';
import { JSON_OPTION, subcommand } from './subcommand.ts';

export function keysCommand(): Command {
  return subcommand('keys')
    .description('Make, list, rotate and revoke API keys.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand());
}

function listCommand(): Command {
  return subcommand('keys', 'list')
    .description('List the keys by id and name. The secrets are not stored.')
    .option(...JSON_OPTION)
    .action(async (options: { json?: boolean }) => {
      const records = await withKeys({ mustExist: true }, (keys) => keys.list());
      await print(
        options.json ? JSON.stringify(records.map(asJson)) : forPeople(records, new Date()),
      );
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

function forPeople(records: readonly KeyRecord[], now: Date): string {
  if (records.length === 0) return 'No keys yet. Make one: petstore keys create --name NAME';
  return table([
    // Columns that may be long come last.
    ['ID', 'FOR', 'STATE', 'EXPIRES', 'LAST USED', 'NAME', 'SCOPES'],
    ...records.map((key) => [
      ...[key.id, key.environment, stateOf(key, now)],
      ...[key.expiresAt, key.lastUsedAt].map((date) => (date ? toMinute(date) : '-')),
      ...[key.name, key.scopes.join(',')],
    ]),
  ]);
}

/** A key that was replaced works until it expires. */
function stateOf({ revokedAt, expiresAt, replacedBy }: KeyRecord, now: Date): string {
  if (revokedAt) return 'revoked';
  if (expiresAt && expiresAt <= now) return 'expired';
  return replacedBy === undefined ? 'active' : 'replaced';
}

function revokeCommand(): Command {
  return subcommand('keys', 'revoke')
    .description('Revoke a key, from the next request on.')
    .argument('<id>', 'id of the key, as `petstore keys list` shows it, or a key that leaked')
    .action(async (idOrKey: string) => {
      await withKeys({ mustExist: true }, async (keys) => {
        const id = await keyId(keys, idOrKey);
        const outcome = await keys.revoke(id, new Date());
        if (outcome === 'not_found') throw keyNotFound(idOrKey);
        await print(outcome === 'revoked' ? `Revoked ${id}.` : `${id} was revoked before.`);
      });
    });
}
