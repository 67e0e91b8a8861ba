import { print } from '@petstore/service/commands.ts';
import { type Command, Option } from 'commander';
import type { Report } from '../report/report.ts';
import { askService, URL_OPTION } from './service-client.ts';
import { subcommand } from './subcommand.ts';

/** What the service is asked for, by the form that somebody wants. */
const ACCEPTED = {
  table: 'application/json',
  json: 'application/json',
  junit: 'application/xml',
  html: 'text/html',
  svg: 'image/svg+xml',
} as const;

export type Format = keyof typeof ACCEPTED;

export function formatOption(): Option {
  const formats = Object.keys(ACCEPTED);
  return new Option('--format <format>', `how to print it: ${formats.join(', ')}`)
    .choices(formats)
    .default('table');
}

export interface ReportOptions {
  readonly url?: string;
  readonly format: Format;
}

export function reportCommand(): Command {
  return subcommand('report')
    .description(
      'Tell how the client of a sandbox behaved, rule by rule. Exits with code 1 if a rule is broken.',
    )
    .argument('<key>', "the sandbox's key")
    .option(...URL_OPTION)
    .addOption(formatOption())
    .action((key: string, options: ReportOptions) => printReport(key, '/report', 'GET', options));
}

/** Prints a report in a format. The process ends with 1 unless the verdict is a good one. */
export async function printReport(
  key: string,
  path: string,
  method: string,
  { url, format }: ReportOptions,
): Promise<void> {
  const text = await askService(key, path, { url, method, accept: ACCEPTED[format] });
  // The verdict is in the JSON; another form is asked for beside it.
  const isJson = ACCEPTED[format] === 'application/json';
  const json = isJson ? text : await askService(key, path, { url });
  const report = JSON.parse(json) as Pick<Report, 'verdict' | 'challenge'>;
  if (format === 'table') {
    const { reportTable } = await import('../report/report-table.ts');
    await print(reportTable(JSON.parse(json) as Report));
  } else {
    await print(text.trimEnd());
  }
  const isGood = report.challenge ? report.verdict === 'kept' : report.verdict !== 'broken';
  if (!isGood) process.exitCode = 1;
}
