import { print } from '@petstore/service/commands.ts';
import { table } from '@petstore/service/table.ts';
import type { Command } from 'commander';
import type { AuditEvent } from '../audit/audit-event.ts';
import { escapeControls } from './escape-controls.ts';
import { JSON_OPTION, subcommand } from './subcommand.ts';
import { readInteger, readPastTime } from './time-options.ts';
import { withStore } from './with-store.ts';

const MAX_LIMIT = 100_000;

interface Options {
  readonly since?: string;
  readonly limit: string;
  readonly json?: boolean;
}

export function auditCommand(): Command {
  return subcommand('audit')
    .description('List who did what to the keys and the data, the newest last.')
    .option('--since <time>', 'only from then on: 7d, 2027-01-31 or 2027-01-31T12:00:00Z')
    .option('--limit <n>', `how many at most, 1 to ${MAX_LIMIT}: the newest`, '100')
    .option(...JSON_OPTION)
    .action(async (options: Options) => {
      const since =
        options.since === undefined
          ? undefined
          : readPastTime('--since', options.since, new Date());
      const limit = readInteger('--limit', options.limit, 1, MAX_LIMIT);
      const events = await withStore({ mustExist: true }, ({ audit }) =>
        audit.list({ since, limit }),
      );
      await print(options.json ? JSON.stringify(events) : forPeople(events));
    });
}

function forPeople(events: readonly AuditEvent[]): string {
  if (events.length === 0) return 'Nothing is on record for this time.';
  return table([
    ['TIME', 'ACTOR', 'ACTION', 'SUBJECT', 'DETAIL'],
    ...events.map(({ at, actor, action, subject, detail }) =>
      [at.toISOString(), actor, action, subject, describeDetail(detail)].map(escapeControls),
    ),
  ]);
}

/** With its members in one order, whatever order an engine keeps them in, and without empty ones. */
function describeDetail(detail: AuditEvent['detail']): string {
  return Object.entries(detail)
    .filter(([, value]) => value !== null)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('; ');
}
