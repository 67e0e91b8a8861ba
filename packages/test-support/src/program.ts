import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { stopCoverage } from 'node:v8';
import { spawnChild } from './children.ts';
import { cleanUp, type Ending, FILE } from './clean-up.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
}

/**
 * Starts a program in a folder, with no variables but those that it needs to start and `env`. It is gone, with all
 * that it started, when `t` ends.
 */
export function startProgram(
  t: Ending,
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Program {
  const { PATH = '', HOME = '', TMPDIR, NODE_V8_COVERAGE } = process.env;
  const child = spawnChild(t, command, args, {
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
  child.stdout?.setEncoding('utf8').on('data', (chunk) => (output.stdout += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk) => (output.stderr += chunk));
  // A program may end without reading what it is given.
  child.stdin?.on('error', () => undefined);
  // Thrown from here it fails the test that is running, whatever that looks at.
  child.on('close', () => assertNoSecret(output.stderr, `what ${args.join(' ')} wrote`));
  return { child, output };
}

/** Runs a program to its end, as `startProgram` starts it. `input` goes to its standard input. */
export async function runProgram(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
  input = '',
): Promise<Outcome> {
  const program = startProgram(FILE, command, args, cwd, env);
  program.child.stdin?.end(input);
  return finished(program);
}

/**
 * For files, or for the rest of a test, whose programs do what other tests cover: to record what a program covers
 * takes a third of its time and more, and one that is killed never tells.
 */
export function coverNoPrograms(t: Ending = FILE): void {
  const { NODE_V8_COVERAGE } = process.env;
  delete process.env.NODE_V8_COVERAGE;
  cleanUp(t, () => {
    if (NODE_V8_COVERAGE !== undefined) process.env.NODE_V8_COVERAGE = NODE_V8_COVERAGE;
  });
}

/** For files that work hard at what other tests cover: recorded, their loops take several times as long. */
export function coverNothing(): void {
  coverNoPrograms();
  stopCoverage();
}

/** How a program ended, once it has, and all that it wrote: the last of it may come after its end. */
export async function finished({ child, output }: Program): Promise<Outcome> {
  const hasEnded = child.exitCode !== null || child.signalCode !== null;
  const isWhole = [child.stdout, child.stderr].every((stream) => stream?.closed ?? true);
  if (!hasEnded || !isWhole) await once(child, 'close');
  return { code: child.exitCode, ...output };
}

/** The processes that a process has started, and that have not ended. */
export async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}

/**
 * What secrets look like that tests make, wherever they make them: keys of the API, tokens of the
 * dashboard, and the password of the tests' database server, as it is and as addresses have it.
 */
const SECRETS = [
  /pk_(?:live|test)_[0-9A-Za-z]{38}/,
  /dash_[\w-]{43}/,
  /p@ss\/word/,
  /p%40ss%2Fword/i,
];

/**
 * Throws Error when a secret stands where none may ever stand, such as in a log. `place` is for people.
 * Called on the log of every service and the standard error of every program that any test starts, so that
 * the whole run of the tests is a search for secrets.
 */
export function assertNoSecret(text: string, place: string): void {
  const secret = SECRETS.map((form) => form.exec(text)).find((found) => found !== null);
  if (!secret) return;
  const from = Math.max(0, secret.index - 200);
  throw new Error(`A secret in ${place}: …${text.slice(from, secret.index + 60)}…`);
}
