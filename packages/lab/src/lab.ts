import { print, runProgram } from '@petstore/service/commands.ts';
import { table } from '@petstore/service/table.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { Command } from 'commander';
import { type Call, jsonClient } from './json-client.ts';
import type { LabDomain } from './lab-control.ts';
import type { ZoneRecord } from './name-server/zone-record.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';

// `npm run lab`: custom domains on one machine, without the Internet. With a command, it acts on a running lab.

const USUAL_PAGE = 'http://127.0.0.1:8090';

/** The commands that talk to a running lab. */
function labCommands(): Command[] {
  return [
    new Command('set')
      .description('Apply a scenario to a domain of the dashboard.')
      .argument('<name>', 'the domain')
      .argument('<scenario>', 'one of those that "scenarios" lists')
      .option('--project <slug>', 'whose claim to the name, where several have one')
      .action((hostname: string, scenario: string, options: { project?: string }) =>
        say(post('/scenario', { hostname, scenario, ...options })),
      ),
    new Command('scenarios')
      .description('List the scenarios, and what the dashboard then says.')
      .action(() => print(SCENARIOS.map(scenarioLine).join('\n'))),
    new Command('domains')
      .description('List the domains, their states and scenarios.')
      .action(async () => printTable((await lab<LabDomain[]>('GET', '/domains')).map(domainLine))),
    new Command('records')
      .description('List what the name servers answer with.')
      .action(async () => {
        const zones = await lab<{ records: ZoneRecord[] }[]>('GET', '/zones');
        await printTable(zones.flatMap(({ records }) => records).map(recordLine));
      }),
    recordCommand('add', '/records').description(
      'Add a record, such as: add docs.example.test A 192.0.2.7',
    ),
    recordCommand('remove', '/records/remove').description('Remove a record.'),
  ];
}

function recordCommand(name: string, path: string): Command {
  return new Command(name)
    .argument('<name>')
    .argument('<type>')
    .argument('<value>', 'in quotation marks where it has blanks')
    .action((of: string, type: string, value: string) =>
      say(post(path, { name: of, type, value })),
    );
}

function scenarioLine({ id, verdict, expect }: Scenario): string {
  return `${id.padEnd(23)} ${verdict}, ${expect}`;
}

function domainLine({ project, claim, state, verdict, scenario }: LabDomain): string[] {
  return [claim.hostname, state, verdict?.code ?? '-', scenario ?? '-', project];
}

function recordLine({ name, type, value, ttl = 300 }: ZoneRecord): string[] {
  return [name, String(ttl), type, String(value)];
}

function printTable(rows: readonly (readonly string[])[]): Promise<void> {
  return print(rows.length === 0 ? 'None.' : table(rows));
}

async function say(response: Promise<{ said: string }>): Promise<void> {
  await print((await response).said);
}

function post(path: string, fields: object): Promise<{ said: string }> {
  return lab('POST', path, fields);
}

const lab: Call = async (method, path, body) => {
  const page = process.env.LAB_URL || USUAL_PAGE;
  try {
    return await jsonClient(page)(method, path, body);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `No lab runs at ${page}. Start one with "npm run lab"; where its page has another address, put that into LAB_URL.`,
    );
  }
};

const program = new Command('npm run lab')
  .usage('-- [options] [command]')
  .description(
    'A name server, a certificate authority and a dashboard on loopback, to try custom domains with. Without a command: start them, until Ctrl-C.',
  )
  .showHelpAfterError('(npm run lab -- --help lists the commands)')
  .option('--data <folder>', 'keep everything there; without it all is gone at the end')
  .option('--free-ports', 'take free ports instead of 8090 to 8093 and 8053')
  .allowExcessArguments()
  .action(async (options: { data?: string; freePorts?: boolean }) => {
    const [unknown] = program.args;
    if (unknown !== undefined) {
      const names = program.commands.map((command) => command.name()).join(', ');
      throw new UserError(`There is no command ${unknown}; there are: ${names}.`);
    }
    // Loaded here, since the commands start faster without it.
    const { runLab } = await import('./run-lab.ts');
    await runLab(options);
  });

for (const command of labCommands()) program.addCommand(command);
await runProgram(program, () => undefined);
