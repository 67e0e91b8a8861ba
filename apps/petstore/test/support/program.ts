import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
export const PETSTORE = fileURLToPath(new URL('../../bin/petstore.js', import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `petstore` as a person would, in a folder, and waits for its end. */
export async function petstore(
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Outcome> {
  return finished(startProgram(process.execPath, [PETSTORE, ...args], cwd, env));
}

export interface Program {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
}

/** Starts `petstore serve` and waits for its banner. */
export async function serve(
  cwd: string,
  env: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<Program & { origin: string }> {
  const program = startProgram(process.execPath, [PETSTORE, 'serve', ...args], cwd, {
    PETSTORE_PORT: '0',
    ...env,
  });
  return { ...program, origin: await originInBanner(program) };
}

export function startProgram(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Program {
  const { PATH = '', HOME = '', TMPDIR, NODE_V8_COVERAGE } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: {
      PATH,
      HOME,
      ...(TMPDIR && { TMPDIR }),
      ...(NODE_V8_COVERAGE && { NODE_V8_COVERAGE }),
      ...env,
    },
  });
  const output = { stdout: '', stderr: '' };
  // A character may come in two pieces.
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  child.stdout.on('data', (chunk) => (output.stdout += chunk));
  child.stderr.on('data', (chunk) => (output.stderr += chunk));
  return { child, output };
}

/** The address that a started program prints, once it does. */
export async function originInBanner({ child, output }: Program): Promise<string> {
  const deadline = Date.now() + 30_000;
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

export async function finished({ child, output }: Program): Promise<Outcome> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  return { code: child.exitCode, ...output };
}
