import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { OPERATOR } from '../audit/actor.ts';
import { createScimToken, endScimToken } from '../scim/tokens.ts';
import { subcommand } from './subcommand.ts';
import { withDatabase } from './with-database.ts';

export function scimCommand(): Command {
  return subcommand('scim')
    .description('Connect a directory that keeps accounts and groups in step (SCIM 2.0).')
    .addCommand(
      subcommand('scim', 'create-token')
        .description('Make a token for a directory and show it, this once.')
        .requiredOption('--name <name>', 'what the directory is called, for people (required)')
        .option('--json', 'print JSON, for scripts')
        .action(createToken),
    );
}

async function createToken({ name, json }: { name: string; json?: boolean }): Promise<void> {
  await withDatabase({ mustExist: true }, async (db, config) => {
    const deps = { db, now: Date.now };
    const { row, secret } = await createScimToken(deps, name, OPERATOR.name, OPERATOR);
    const url = config.publicUrl === undefined ? null : `${config.publicUrl}/scim/v2`;
    const where =
      url === null
        ? 'Its base URL is the address of the dashboard and /scim/v2.'
        : `Base URL: ${url}`;
    const text = json
      ? JSON.stringify({ id: row.id, name: row.name, token: secret, url })
      : `Made the token "${row.name}" (${row.id}). ${where}\nIt is shown this once:\n\n  ${secret}\n`;
    try {
      await print(text);
    } catch (error) {
      await endScimToken(deps, row.id, OPERATOR);
      throw new UserError('The token could not be shown, so it was revoked again.', {
        cause: error,
      });
    }
  });
}
