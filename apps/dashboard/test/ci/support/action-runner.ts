import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { runProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { parse } from 'yaml';

// What GitHub's runner does with a composite action: its shell, its files, its commands.

interface Action {
  readonly inputs: Record<string, { required?: boolean; default?: string; description: string }>;
  readonly outputs: Record<string, { value: string; description: string }>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

interface Step {
  readonly id?: string;
  readonly name: string;
  readonly shell: string;
  readonly env?: Record<string, string>;
  readonly run: string;
}

/** A command that a step gave to the runner, such as `::error file=a.yaml::Text`. */
export interface Command {
  readonly name: string;
  readonly properties: string;
  readonly message: string;
}

export interface Run {
  readonly succeeded: boolean;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly log: string;
  readonly commands: readonly Command[];
}

export interface RunOptions {
  readonly eventName: string;
  readonly event: object;
  readonly workspace: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** `github.token`. */
  readonly token: string;
  /** Further variables of the runner, `GITHUB_SHA` and the like. */
  readonly env: Readonly<Record<string, string>>;
}

export async function readAction(folder: string): Promise<Action> {
  return parse(await readFile(join(folder, 'action.yml'), 'utf8')) as Action;
}

/** Runs the steps of the action in a folder, one after the other, until one fails. */
export async function runAction(t: TestContext, folder: string, options: RunOptions): Promise<Run> {
  const action = await readAction(folder);
  assert.equal(action.runs.using, 'composite');
  const temp = await temporaryFolder(t);
  const file = async (name: string, content = '') => {
    const path = join(temp, name);
    await writeFile(path, content);
    return path;
  };
  const context = new Map<string, string>([['github.token', options.token]]);
  for (const name of Object.keys(options.inputs)) assert.ok(action.inputs[name], `input ${name}`);
  for (const [name, { required, default: value = '' }] of Object.entries(action.inputs)) {
    const given = options.inputs[name];
    if (required) assert.ok(given !== undefined, `the input ${name} is required`);
    context.set(`inputs.${name}`, given ?? resolved(value, context));
  }
  const summary = await file('summary.md');
  const event = await file('event.json', JSON.stringify(options.event));
  let succeeded = true;
  let log = '';
  for (const [at, step] of action.runs.steps.entries()) {
    assert.equal(step.shell, 'bash');
    const output = await file(`output-${at}`);
    const env = Object.entries(step.env ?? {}).map(([name, value]) => [
      name,
      resolved(value, context),
    ]);
    const script = await file(`step-${at}.sh`, resolved(step.run, context));
    const outcome = await runProgram(
      'bash',
      ['--noprofile', '--norc', '-e', '-o', 'pipefail', script],
      options.workspace,
      {
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_ACTION_PATH: folder,
        GITHUB_EVENT_NAME: options.eventName,
        GITHUB_EVENT_PATH: event,
        GITHUB_WORKSPACE: options.workspace,
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_ENV: await file(`env-${at}`),
        GITHUB_PATH: await file(`path-${at}`),
        RUNNER_TEMP: temp,
        ...options.env,
        ...Object.fromEntries(env),
      },
    );
    log += `${outcome.stdout}${outcome.stderr}`;
    for (const [name, value] of Object.entries(outputsOf(await readFile(output, 'utf8'))))
      if (step.id) context.set(`steps.${step.id}.outputs.${name}`, value);
    succeeded = outcome.code === 0;
    if (!succeeded) break;
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [
    name,
    resolved(value, context),
  ]);
  return {
    succeeded,
    outputs: Object.fromEntries(outputs),
    summary: await readFile(summary, 'utf8'),
    log,
    commands: commandsOf(log),
  };
}

/** A text with its expressions replaced. Only those that name a value are known here. */
function resolved(text: string, context: ReadonlyMap<string, string>): string {
  return text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    const value = context.get(expression);
    // An output that a step did not set is empty.
    return (
      value ?? (/^steps\.\w+\.outputs\.[\w-]+$/.test(expression) ? '' : assert.fail(expression))
    );
  });
}

/** `name=value`, or `name<<WORD`, lines, `WORD`. */
function outputsOf(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const lines = text.split('\n');
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    if (line === '') continue;
    const [, name = '', mark = '', rest = ''] =
      /^([^=<]+)(=|<<)(.*)$/.exec(line) ?? assert.fail(`no output of a step: ${line}`);
    outputs[name] =
      mark === '='
        ? rest
        : lines
            .splice(0, lines.indexOf(rest) + 1)
            .slice(0, -1)
            .join('\n');
  }
  return outputs;
}

/** The commands in a log. The older form counts wherever it stands in a line. */
function commandsOf(log: string): Command[] {
  const commands: Command[] = [];
  let silence: string | undefined;
  for (const line of log.split('\n')) {
    const [, name = '', properties = '', message = ''] =
      /^\s*::([\w-]+)(?: (.*?))?::(.*)$/.exec(line) ??
      /##\[([\w-]+)(?: (.*?))?\](.*)$/.exec(line) ??
      [];
    if (name === '') continue;
    if (silence !== undefined) {
      if (name === silence) silence = undefined;
    } else if (name === 'stop-commands') silence = message;
    else commands.push({ name, properties, message });
  }
  return commands;
}
