import { Command, type OutputConfiguration } from 'commander';

/** Errors in the words of all others: the program's name first. */
export const ERROR_OUTPUT: OutputConfiguration = {
  outputError: (text, write) => write(text.replace(/^error: /, 'petstore: ')),
};

/** The command `petstore …words`, with what all commands share. */
export function subcommand(...words: [string, ...string[]]): Command {
  return new Command(words.at(-1))
    .configureOutput(ERROR_OUTPUT)
    .showHelpAfterError(`(petstore ${words.join(' ')} --help shows how it is used)`)
    .addHelpText('after', '\nSettings come from environment variables: see petstore --help.');
}

/**
 * Does a piece of work and prints how it went, however it went. An error of the work counts for more
 * than that nobody reads the summary.
 */
export async function withSummary(work: () => Promise<void>, summary: () => string): Promise<void> {
  try {
    await work();
  } catch (error) {
    await print(summary()).catch(() => {});
    throw error;
  }
  await print(summary());
}

/** Writes a line to standard output. Rejects when nobody takes it: a closed pipe, a full disk. */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once('error', reject);
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
  });
}
