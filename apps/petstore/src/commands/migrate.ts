import { print } from '@petstore/service/commands.ts';
import { IN_MEMORY, sqlitePath } from '@petstore/service/database-url.ts';
import { showProgress } from '@petstore/service/progress.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import {
  describeMigration,
  type MigrationPlan,
  type MigrationReport,
  type PlannedStep,
} from '../store/migration.ts';
import { migrateStore, planMigration } from '../store/open-store.ts';
import { JSON_OPTION, subcommand } from './subcommand.ts';

/** The exit code of `--plan` where there is something to do; 1 is for errors. */
const WORK_TO_DO = 2;

export function migrateCommand(): Command {
  return subcommand('migrate')
    .description("Bring the database's schema up to date, beside services that use it.")
    .option('--plan', 'change nothing, and tell what would be done')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
A start of \`petstore serve\` does the same; this does it beforehand, and ends.
Services of the previous version go on meanwhile. One process migrates, and the
others wait for it. The next process finishes a migration that was interrupted.

--plan ends with exit code 0 where the schema is up to date, and with ${WORK_TO_DO}
where there is something to do.

Examples:
  petstore migrate --plan
  petstore migrate && petstore serve`,
    )
    .action(async (options: { plan?: boolean; json?: boolean }) => {
      const { databaseUrl } = readConfig(process.env);
      if (sqlitePath(databaseUrl) === IN_MEMORY) {
        throw new UserError(
          'A store in memory is always new, so there is nothing to migrate. Set PETSTORE_DATABASE_URL to a file or a database.',
        );
      }
      if (options.plan) {
        const plan = await planMigration(databaseUrl);
        if (plan.steps.length > 0) process.exitCode = WORK_TO_DO;
        await print(options.json ? JSON.stringify(plan) : describePlan(plan));
      } else {
        const report = await migrateWithProgress(databaseUrl);
        await print(options.json ? JSON.stringify(report) : describeReport(report));
      }
    });
}

/** Nobody knows how long it takes. So on a terminal a line changes, and elsewhere one is written every ten seconds. */
async function migrateWithProgress(databaseUrl: string): Promise<MigrationReport> {
  const progress = await showProgress(undefined);
  let isWaiting = false;
  try {
    return await migrateStore(databaseUrl, (state) => {
      const sentence = describeMigration(state);
      if (state.isOthers && !isWaiting) progress.say(`${sentence} This one waits for it.`);
      isWaiting = state.isOthers;
      progress.update(0, sentence);
    });
  } finally {
    progress.stop();
  }
}

function describePlan({ current, wanted, steps }: MigrationPlan): string {
  if (steps.length === 0) return `The schema is up to date: version ${current}.`;
  const from = current === 0 ? 'There is no petstore yet' : `The schema is of version ${current}`;
  return [
    `${from}; this petstore brings it to ${wanted}:`,
    ...steps.flatMap((step) => ['', `To version ${step.version}: ${step.does}.`, ...facts(step)]),
  ].join('\n');
}

function facts(step: PlannedStep): string[] {
  const { tables, lock, blocks, seconds, blockedSeconds, lockWaitSeconds } = step;
  const touched = tables.map(
    ({ table, rows, bytes }) =>
      `  Table ${table}: ${rows === null ? '' : `about ${rows.toLocaleString('en')} rows, `}${megabytes(bytes)}.`,
  );
  const waits =
    blocks === 'nothing'
      ? 'Reads and writes go on.'
      : `${blocks === 'writes' ? 'Writes wait' : 'Reads and writes wait'} for about ${duration(blockedSeconds)}${lockWaitSeconds > 0 ? `, and before, behind whoever uses the tables, for ${duration(lockWaitSeconds)} at a time at most` : ''}.`;
  return [
    ...touched,
    `  ${lock === null ? 'No lock that anybody waits for' : `Lock: ${lock}`}. ${waits}`,
    `  Takes about ${duration(seconds)} (an estimate).`,
  ];
}

function describeReport({ from, to, steps }: MigrationReport): string {
  if (steps.length === 0) return `The schema is up to date: version ${to}.`;
  return [
    ...steps.map(
      ({ version, does, seconds, blockedSeconds }) =>
        `To version ${version}: ${does}. Took ${duration(seconds)}; others waited for ${duration(blockedSeconds)} at most.`,
    ),
    `The schema is of version ${to}; it was of ${from}.`,
  ].join('\n');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function duration(seconds: number): string {
  if (seconds >= 120) return `${Math.round(seconds / 60)} minutes`;
  if (seconds >= 1) return `${seconds.toFixed(1)} s`;
  return `${Math.round(seconds * 1_000)} ms`;
}
