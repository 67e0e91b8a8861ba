// `npm run lab`: custom domains on one machine, without the Internet. With a command, it acts on a running lab.

import { runProgram } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { Command } from 'commander';
import { labCommands } from './commands.ts';

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
