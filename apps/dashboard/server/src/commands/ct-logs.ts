import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { type CtLogRow, listLogs } from '../store/ct-logs.ts';
import { type CtLog, readLogList } from '../transparency/log-list.ts';
import { readPosition } from '../transparency/log-position.ts';
import { subcommand } from './subcommand.ts';
import { withDatabase } from './with-database.ts';

export function ctLogsCommand(): Command {
  return subcommand('ct-logs')
    .description(
      'List the Certificate Transparency logs (CT_LOG_LIST), and how far each has been read.',
    )
    .action(async () => {
      const { ctLogList } = readConfig(process.env);
      if (ctLogList === undefined)
        throw new UserError(
          'This dashboard follows no Certificate Transparency logs: set CT_LOG_LIST.',
        );
      const logs = readLogList(ctLogList);
      await withDatabase({ mustExist: true }, async (db) => {
        const rows = new Map((await listLogs(db)).map((row) => [row.id, row]));
        await print(logs.map((log) => lineOf(log, rows.get(log.id), Date.now())).join('\n'));
      });
    });
}

/** `Rome 2026h2: read to 1234567, 120 behind, 12 s ago`, and what is wrong. */
function lineOf({ description, endsAt }: CtLog, row: CtLogRow | undefined, now: number): string {
  if (endsAt !== undefined && endsAt <= now)
    return `${description}: holds only expired certificates, so it is not read`;
  const position = row?.position ? readPosition(row.position) : undefined;
  const progress = position
    ? `read to ${position.edge.size}, ${position.head.size - position.edge.size} behind`
    : 'not read yet';
  const ago = row?.read_at ? `, ${Math.round((now - row.read_at) / 1_000)} s ago` : '';
  return `${description}: ${progress}${ago}${row?.problem ? `; ${row.problem}` : ''}`;
}
