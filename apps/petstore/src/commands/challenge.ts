import { print } from '@petstore/service/commands.ts';
import { table } from '@petstore/service/table.ts';
import type { Command } from 'commander';
import { formatOption, printReport, type ReportOptions } from './report.ts';
import { askService, URL_OPTION } from './service-client.ts';
import { JSON_OPTION, subcommand } from './subcommand.ts';
import { readInteger } from './time-options.ts';

export function challengeCommand(): Command {
  return subcommand('challenge')
    .description('Put a client to the test in a sandbox that makes it hard.')
    .addCommand(listCommand())
    .addCommand(startCommand())
    .addCommand(verdictCommand());
}

function listCommand(): Command {
  return subcommand('challenge', 'list')
    .description('List the challenges.')
    .option(...JSON_OPTION)
    .action(async (options: { json?: boolean }) => {
      const { CHALLENGES } = await import('../report/challenges/challenges.ts');
      const all = CHALLENGES.map(({ code, title, task, rules }) => ({
        ...{ code, title, task },
        rules: rules.map((rule) => rule.code),
      }));
      const rows = all.map(({ code, title, rules }) => [code, title, rules.join(', ')]);
      await print(
        options.json ? JSON.stringify(all) : table([['CODE', 'TITLE', 'RULES'], ...rows]),
      );
    });
}

function startCommand(): Command {
  return subcommand('challenge', 'start')
    .description('Reset a sandbox, let things go wrong in it, and say what the client is to do.')
    .argument('<key>', "the sandbox's key")
    .argument('<code>', 'the challenge, as `petstore challenge list` shows it')
    .option('--seed <n>', 'seed of the faults: the same seed gives the same faults', '1')
    .option(...URL_OPTION)
    .option(...JSON_OPTION)
    .action(async (key: string, code: string, options: StartOptions) => {
      const { url } = options;
      const seed = readInteger('--seed', options.seed, 0, 999_999_999);
      const path = `/challenges/${encodeURIComponent(code)}/start?seed=${seed}`;
      const text = await askService(key, path, { url, method: 'POST' });
      const { title, task } = JSON.parse(text) as { title: string; task: string };
      await print(
        options.json
          ? text
          : `${title}\n\n${task}\n\nWhen your client is done: petstore challenge verdict KEY`,
      );
    });
}

interface StartOptions {
  readonly seed: string;
  readonly url?: string;
  readonly json?: boolean;
}

function verdictCommand(): Command {
  return subcommand('challenge', 'verdict')
    .description(
      'End the challenge and tell how the client did. Exits with code 1 unless it passed.',
    )
    .argument('<key>', "the sandbox's key")
    .option(...URL_OPTION)
    .addOption(formatOption())
    .action((key: string, options: ReportOptions) =>
      printReport(key, '/challenges/verdict', 'POST', options),
    );
}
