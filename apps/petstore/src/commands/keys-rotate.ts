import { toMinute } from '@petstore/service/table.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import type { Rotation } from '../keys/key-rules.ts';
import { isRefusal } from '../refusal.ts';
import {
  addExpiryOptions,
  type ExpiryOptions,
  keyId,
  keyNotFound,
  readExpiry,
  showKey,
  withKeys,
} from './key-options.ts';
import { JSON_OPTION, subcommand } from './subcommand.ts';
import { readDuration } from './time-options.ts';

interface Options extends ExpiryOptions {
  readonly overlap: string;
  readonly json?: boolean;
}

export function rotateCommand(): Command {
  const command = subcommand('keys', 'rotate')
    .description('Create a key that replaces another one, and show it, this once.')
    .argument('<id>', 'id of the key to replace, as `petstore keys list` shows it')
    .option('--overlap <duration>', 'how long the replaced key still works; 0s: not at all', '24h');
  return addExpiryOptions(command, 'as long as the replaced key was created for')
    .option(...JSON_OPTION)
    .action(async (idOrKey: string, options: Options) => {
      const at = new Date();
      const until = new Date(at.getTime() + readDuration('--overlap', options.overlap));
      const expiresAt = readExpiry(options, at);
      await withKeys({ mustExist: true }, async (keys) => {
        const rotation = await keys.rotate(await keyId(keys, idOrKey), { at, until, expiresAt });
        if (isRefusal(rotation)) {
          if (rotation.refused === 'not_found') throw keyNotFound(idOrKey);
          throw new UserError(rotation.message);
        }
        const form = options.json
          ? { replaces: rotation.replaced.id, replacedWorksUntil: rotation.until }
          : introduction(rotation, at);
        await showKey(rotation.successor, form, async () => {
          await keys.undoRotation(rotation, new Date());
          return `${rotation.replaced.id} stays as it was`;
        });
      });
    });
}

function introduction({ replaced, until, successor }: Rotation, at: Date): string {
  const { id, name, expiresAt } = successor.record;
  const end = expiresAt ? ` and works until ${toMinute(expiresAt)}` : '';
  const old = until > at ? `works until ${toMinute(until)}` : 'no longer works';
  return `Created the key "${name}" (${id}), which replaces ${replaced.id}${end}. ${replaced.id} ${old}.`;
}
