import { print, subcommandOf } from '@petstore/service/commands.ts';

/** The command `petstore …words`. */
export const subcommand = subcommandOf('petstore');

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
