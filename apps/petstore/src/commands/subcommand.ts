import { Command, type OutputConfiguration } from 'commander';

/** Errors in the words of all others: the program's name first. */
export const ERROR_OUTPUT: OutputConfiguration = {
  outputError: (text, write) => write(text.replace(/^error: /, 'petstore: ')),
};

/** A command below `petstore`, with what all of them share. */
export function subcommand(name: string): Command {
  return new Command(name)
    .configureOutput(ERROR_OUTPUT)
    .showHelpAfterError(`(petstore ${name} --help shows how it is used)`)
    .addHelpText('after', '\nSettings come from environment variables: see petstore --help.');
}

/** Writes a line to standard output. Rejects when nobody takes it: a closed pipe, a full disk. */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once('error', reject);
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
  });
}
