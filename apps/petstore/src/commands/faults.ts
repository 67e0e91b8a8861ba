import { print } from '@petstore/service/commands.ts';
import { table } from '@petstore/service/table.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import type { CountedRule } from '../faults/fault-rules.ts';
import type { Store } from '../store/store.ts';
import { SANDBOX_ID_TEXT, sandboxIdOf } from './sandbox-id.ts';
import { JSON_OPTION, subcommand } from './subcommand.ts';
import { readInteger } from './time-options.ts';
import { withStore } from './with-store.ts';

const SANDBOX = ['<sandbox>', SANDBOX_ID_TEXT] as const;

export function faultsCommand(): Command {
  return subcommand('faults')
    .description('List, add and clear the faults of a sandbox.')
    .addCommand(listCommand())
    .addCommand(addCommand())
    .addCommand(clearCommand());
}

function listCommand(): Command {
  return subcommand('faults', 'list')
    .description('List the rules by which requests with the key of a sandbox fail, in their order.')
    .argument(...SANDBOX)
    .option(...JSON_OPTION)
    .action(async (sandbox: string, options: { json?: boolean }) => {
      const { countedRule, readRules } = await import('../faults/fault-rules.ts');
      const rules = await withSandbox(sandbox, async ({ faults }, id) => {
        const kept = readRules(await faults.rules(id));
        const counts = await faults.counts(id);
        return kept.map((rule) => countedRule(rule, counts));
      });
      await print(options.json ? JSON.stringify(rules) : forPeople(rules));
    });
}

function forPeople(rules: readonly CountedRule[]): string {
  if (rules.length === 0) {
    return 'The sandbox has no fault rules. Add one: petstore faults add --help';
  }
  return table([
    ['ID', 'FROM', 'TIMES', 'REQUESTS', 'FAULT', 'OPERATIONS'],
    ...rules.map(({ id, from, times, requests, fault, operations }) => [
      ...[id, `${from}`, `${times ?? 'all'}`, `${requests}`],
      ...[fault, operations?.join(',') ?? 'all'],
    ]),
  ]);
}

interface AddOptions {
  readonly operation?: readonly string[];
  readonly from?: string;
  readonly times?: string;
}

function addCommand(): Command {
  return subcommand('faults', 'add')
    .description("Add a rule behind a sandbox's rules. A request takes what the first has for it.")
    .argument(...SANDBOX)
    .argument('<fault>', 'as in the header Petstore-Fault, such as "status=503;rate=0.5;seed=7"')
    .option(
      '--operation <id...>',
      'the operations that it is for, such as createPet (default: all)',
    )
    .option('--from <n>', 'the first of their requests that it is for (default: 1)')
    .option('--times <n>', 'how many of them from then on (default: all)')
    .action(async (sandbox: string, fault: string, options: AddOptions) => {
      const { addRule } = await import('../faults/change-rules.ts');
      const { MAX_REQUEST } = await import('../faults/fault-rules.ts');
      const { operation, from, times } = options;
      const number = (name: string, value: string | undefined) =>
        value === undefined ? undefined : readInteger(name, value, 1, MAX_REQUEST);
      const rule = {
        ...{ fault, operations: operation },
        ...{ from: number('--from', from), times: number('--times', times) },
      };
      const known = operation ? await operationsWithFaults() : [];
      const { id } = await withSandbox(sandbox, ({ faults }, id) =>
        addRule(faults, id, rule, known).catch((error) => {
          throw new UserError((error as Error).message);
        }),
      );
      await print(`Added ${id}. It applies from the next request on.`);
    });
}

function clearCommand(): Command {
  return subcommand('faults', 'clear')
    .description('Delete all rules of a sandbox.')
    .argument(...SANDBOX)
    .action(async (sandbox: string) => {
      const { changeRules } = await import('../faults/change-rules.ts');
      await withSandbox(sandbox, ({ faults }, id) => changeRules(faults, id, () => []));
      await print(
        'Deleted all rules. Only the faults that a Petstore-Fault header asks for still happen.',
      );
    });
}

/** Does a piece of work with the store, and the id of a sandbox. Rejects with UserError where there is none. */
function withSandbox<T>(
  idOrKey: string,
  work: (store: Store, id: string) => Promise<T>,
): Promise<T> {
  return withStore({ mustExist: true }, async (store) =>
    work(store, await sandboxIdOf(store.sandboxes, idOrKey)),
  );
}

/** The ids of the operations that can have faults, out of the document of the service. */
async function operationsWithFaults(): Promise<string[]> {
  const { DELIVERY } = await import('../faults/event-faults.ts');
  const { documentOf } = await import('./document-of.ts');
  const { paths = {} } = await documentOf(process.env);
  const own = Object.values(paths).flatMap((methods) =>
    Object.values(methods as Record<string, Operation>).flatMap(
      ({ operationId, parameters = [] }) =>
        JSON.stringify(parameters).includes('Petstore-Fault') ? [operationId] : [],
    ),
  );
  return [...own, DELIVERY];
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly unknown[];
}
