import { print } from '@petstore/service/commands.ts';
import type { Command } from 'commander';
import { keyId, keyNotFound, withKeys } from './key-options.ts';
import { subcommand } from './subcommand.ts';

export function revokeCommand(): Command {
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
