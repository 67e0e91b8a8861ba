import { Command, type Option, type OutputConfiguration } from 'commander';
import { UserError } from './user-error.ts';

/** Errors have the same form everywhere: the program's name comes first. */
function errorOutput(program: string): OutputConfiguration {
  return {
    outputError: (text, write) =>
      write(
        text
          .replace(/^error: /, `${program}: `)
          .replace(
            /command-argument value '(.*)' is invalid for argument '(.*?)'/,
            'The $2 cannot be "$1"',
          ),
      ),
  };
}

/** A default in parentheses, as in the list of settings. */
function optionDescription({ description, defaultValue }: Option): string {
  return defaultValue === undefined ? description : `${description} (${defaultValue})`;
}

/** The program without its commands. `environment`: its variables, one line each. */
export function programCommand(program: string, version: string, environment: string): Command {
  return (
    new Command(program)
      .version(version)
      // A command may have an option of the same name, such as `--version v2`.
      .enablePositionalOptions()
      .showHelpAfterError(`(${program} --help lists the commands)`)
      .addHelpText('after', `\nEnvironment:\n${environment}`)
      .addHelpText('afterAll', ({ command }) =>
        command.parent ? `\nSettings come from environment variables: see ${program} --help.` : '',
      )
      .configureOutput(errorOutput(program))
  );
}

/** Makes the command `program …words`, with the options that all commands of the program share. */
export function subcommandOf(program: string): (...words: [string, ...string[]]) => Command {
  return (...words) =>
    new Command(words.at(-1))
      .configureOutput(errorOutput(program))
      .configureHelp({ optionDescription })
      .showHelpAfterError(`(${program} ${words.join(' ')} --help shows how it is used)`);
}

/**
 * Adds the command that the command line names, and all of them where it names none, as for the help. Only what is
 * needed is loaded, since a command may need much. `loaders`: by name, in the order of the help.
 */
export async function addCommands(
  program: Command,
  loaders: Readonly<Record<string, () => Promise<Command>>>,
): Promise<void> {
  const [wanted = ''] = process.argv.slice(2);
  const load = Object.hasOwn(loaders, wanted) ? loaders[wanted] : undefined;
  for (const loader of load ? [load] : Object.values(loaders)) program.addCommand(await loader());
}

/**
 * Runs the command line. An error that the user can fix becomes a sentence on standard error, with exit code 1;
 * `explain` turns the program's own kinds of error into sentences. Any other error is thrown.
 */
export async function runProgram(
  program: Command,
  explain: (error: unknown) => string | undefined,
): Promise<void> {
  try {
    await program.parseAsync(withHelpLast(process.argv.slice(2)), { from: 'user' });
  } catch (error) {
    const { exitCode } = process;
    process.exitCode = 1;
    // A worker's channel to its supervisor would keep the process alive.
    process.channel?.unref();
    const { code, message } = error as NodeJS.ErrnoException;
    const say = (sentence: string) => process.stderr.write(`${program.name()}: ${sentence}\n`);
    const sentence = error instanceof UserError ? message : explain(error);
    // The reader of a pipe may stop early, as `head` does: that is not an error.
    if (code === 'EPIPE') process.exitCode = exitCode;
    else if (sentence !== undefined) say(sentence);
    else if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG')
      say(`Nothing can be written: ${message}`);
    else throw error;
  }
}

/** `help keys create` means `keys create --help`; the library supports this for commands of one word only. */
function withHelpLast([first, ...words]: readonly string[]): string[] {
  if (first === undefined) return [];
  const isOfSeveral = first === 'help' && words.length > 1;
  return isOfSeveral ? [...words, '--help'] : [first, ...words];
}

/** Writes a line to standard output. Rejects when nobody takes it: a closed pipe, a full disk. */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once('error', reject);
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
  });
}
