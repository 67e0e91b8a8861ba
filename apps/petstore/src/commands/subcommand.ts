import { print, subcommandOf } from '@petstore/service/commands.ts';

/** The command `petstore …words`. */
export const subcommand = subcommandOf('petstore');

/**
 * Does a piece of work and prints its summary, also when it failed. An error of the work takes precedence over an error
 * of the output.
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
