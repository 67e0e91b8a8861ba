import { fileURLToPath } from 'node:url';
import type { Ending } from '@petstore/test-support/clean-up.ts';
import {
  type Outcome,
  type Program,
  runProgram,
  startProgram,
} from '@petstore/test-support/program.ts';

export const PETSTORE = fileURLToPath(new URL('../../bin/petstore.js', import.meta.url));

/** Runs `petstore` as a person would, in a folder, and waits for its end. */
export async function petstore(
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Outcome> {
  return runProgram(process.execPath, [PETSTORE, ...args], cwd, env);
}

/** Starts `petstore serve`, which is gone when the test ends, and waits for its banner. */
export async function serve(
  t: Ending,
  cwd: string,
  env: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<Program & { origin: string }> {
  const program = startProgram(t, process.execPath, [PETSTORE, 'serve', ...args], cwd, {
    PETSTORE_PORT: '0',
    // Other tests keep the machine busy. What is turned away for that is the business of overload.test.ts.
    PETSTORE_MAX_EVENT_LOOP_DELAY_MS: '0',
    ...env,
  });
  return { ...program, origin: await originInBanner(program) };
}

/** The address that a started program prints, once it does. */
export async function originInBanner({ child, output }: Program): Promise<string> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const { stdout } = output;
    const isWhole = stdout.includes('Try it') || stdout.includes('No API key yet');
    const origin = /API +(http:\S+)\/v1\n/.exec(stdout)?.[1];
    if (isWhole && origin) return origin;
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`no banner: ${output.stdout}${output.stderr}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
