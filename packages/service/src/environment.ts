import { readFileSync } from 'node:fs';
import { UserError } from './user-error.ts';

/** Environment variables by name. An empty one counts as unset. */
export type Env = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** The text of a variable; undefined where it is unset. */
export function text(env: Env, name: string): string | undefined {
  return env[name] || undefined;
}

/**
 * A text that may be secret. It comes from the variable itself, or from the file that the variable `${name}_FILE`
 * names: so Docker, Kubernetes and systemd pass secrets. White space around a file's text is removed, since most
 * editors end a file with a line break. Throws a UserError, which does not show the text, where both variables are set,
 * or the file cannot be read or is empty.
 */
export function secretText(env: Env, name: string): string | undefined {
  const fileVariable = `${name}_FILE`;
  const file = text(env, fileVariable);
  if (file === undefined) return text(env, name);
  if (text(env, name) !== undefined) {
    throw new UserError(`${name} and ${fileVariable} are both set; unset one of them.`);
  }
  const secret = readSecret(fileVariable, file).trim();
  if (secret === '') {
    throw new UserError(`${fileVariable} names ${file}, which is empty; it must hold ${name}.`);
  }
  return secret;
}

function readSecret(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(`${variable} names ${file}, which cannot be read (${code}).`);
  }
}

/** An integer from `min` to `max`, of nine digits at most. Throws a UserError for anything else. */
export function integer(
  env: Env,
  name: string,
  fallback: number,
  min: number,
  max: number,
): number {
  const raw = text(env, name);
  if (raw === undefined) return fallback;
  const value = /^[0-9]{1,9}$/.test(raw) ? Number(raw) : Number.NaN;
  if (!(value >= min && value <= max)) throw mustBe(name, `an integer from ${min} to ${max}`, raw);
  return value;
}

/** One of the allowed words. Throws a UserError for any other. */
export function oneOf<T extends string>(
  env: Env,
  name: string,
  allowed: readonly T[],
  fallback: T,
): T {
  const raw = text(env, name);
  if (raw === undefined) return fallback;
  const value = allowed.find((candidate) => candidate === raw);
  if (value === undefined) throw mustBe(name, `one of ${allowed.join(', ')}`, raw);
  return value;
}

/** The least severe level that is logged; `info` where the variable is unset. Throws a UserError. */
export function logLevel(env: Env, name: string): LogLevel {
  return oneOf(env, name, LOG_LEVELS, 'info');
}

/** The error of a variable that cannot be used: its name, what it must be, and what it was. */
export function mustBe(name: string, wanted: string, got: string): UserError {
  return new UserError(`${name} must be ${wanted}; got ${JSON.stringify(got)}.`);
}
