import { databasePlace } from '@petstore/service/database-url.ts';
import { toMinute } from '@petstore/service/table.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { generateKey, type KeyRecord, MAX_KEY_NAME_LENGTH } from '../keys/key.ts';
import { DEFAULT_SCOPES, type Scope } from '../keys/scope.ts';
import { DATABASE_VARIABLE } from '../store/sqlite/open.ts';
import {
  addExpiryOptions,
  addScopeOption,
  type ExpiryOptions,
  readExpiry,
  showKey,
  sortScopes,
  withKeys,
} from './key-options.ts';
import { JSON_OPTION, subcommand } from './subcommand.ts';

interface Options extends ExpiryOptions {
  readonly name: string;
  readonly scope?: readonly Scope[];
  readonly json?: boolean;
}

export function createCommand(): Command {
  const command = subcommand('keys', 'create')
    .description('Create a key and show it, this once.')
    .requiredOption('--name <name>', 'what the key is for, for people to read');
  return addExpiryOptions(addScopeOption(command), 'for ever')
    .option(...JSON_OPTION)
    .action(async (options: Options) => {
      const { environment, databaseUrl } = readConfig(process.env);
      const now = new Date();
      const expiresAt = readExpiry(options, now);
      const made = generateKey(readName(options.name), environment, now, {
        scopes: sortScopes(options.scope ?? DEFAULT_SCOPES),
        ...(expiresAt && { expiresAt }),
      });
      const where = databasePlace(DATABASE_VARIABLE, databaseUrl);
      await withKeys({ mustExist: false }, async (keys) => {
        await keys.add(made);
        await showKey(made, options.json ? {} : introduction(made.record, where), async () => {
          await keys.revoke(made.record.id, new Date());
          return 'it was revoked again';
        });
      });
    });
}

function introduction({ id, name, environment, expiresAt }: KeyRecord, where: string): string {
  const end = expiresAt ? ` It works until ${toMinute(expiresAt)}.` : '';
  return `Created the ${environment} key "${name}" (${id}) in ${where}.${end}`;
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
