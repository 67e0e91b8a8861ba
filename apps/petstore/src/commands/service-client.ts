import { UserError } from '@petstore/service/user-error.ts';
import { DEFAULT_PORT, readConfig } from '../config.ts';
import { NO_PATH } from '../http/api-error.ts';
import { isWellFormedSandboxKey } from '../keys/key.ts';

export const URL_OPTION = [
  '--url <url>',
  'address of the service, ending in /v1; by default that in PETSTORE_URL, or the one that these settings name',
] as const;

/** How long the service may take to respond, in milliseconds. */
const TIMEOUT_MS = 30_000;

/**
 * Asks a running service with a sandbox's key: whoever practises has the key and the address, and nothing else. Gives
 * the text of the response. Throws UserError where there is none, or an error.
 */
export async function askService(
  key: string,
  path: string,
  {
    url,
    method = 'GET',
    accept = 'application/json',
  }: { url?: string | undefined; method?: string; accept?: string },
): Promise<string> {
  if (!isWellFormedSandboxKey(key)) {
    throw new UserError(
      'This is not the key of a sandbox, which begins with pk_sand_ and has 46 characters. Make one: petstore sandbox create',
    );
  }
  const headers = { authorization: `Bearer ${key}`, accept };
  return expectSuccess(await send(`${serviceUrl(url)}${path}`, { method, headers }));
}

/** What a service responded with. */
export interface Received {
  readonly status: number;
  readonly text: string;
}

/** Sends a request to a running service. Throws UserError where none responds. */
export async function send(address: string, init: RequestInit): Promise<Received> {
  try {
    const response = await fetch(address, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw noService(address, error);
  }
}

/** The error of an address at which `fetch` found nobody. */
export function noService(address: string, error: unknown): UserError {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return new UserError(
    `No service responds at ${address} (${cause?.code ?? message}). Start it, or name another with --url.`,
  );
}

/** The text of a response. Throws UserError with the message of one that is an error. */
export function expectSuccess({ status, text }: Received): string {
  if (status >= 200 && status < 300) return text;
  throw new UserError(errorMessageOf(status, text));
}

/** What a response that is an error says. */
export function errorMessageOf(status: number, text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (message === NO_PATH) {
      return 'The service does not have this operation. PETSTORE_STABILITY or PETSTORE_SANDBOXES may switch it off there, or the service is older.';
    }
    if (typeof message === 'string') return message;
  } catch {
    // Something between here and the service responded.
  }
  return `The response was ${status}. Is this the address of the service?`;
}

/** The address at which a service with these settings listens. */
function ownUrl(): string {
  const { host, port } = readConfig(process.env);
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : bracketed(host);
  return `http://${name}:${port || DEFAULT_PORT}/v1`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * The address of the service: that of `--url`, else of PETSTORE_URL, else that where a service with these settings
 * listens. Throws UserError for one that cannot be it.
 */
export function serviceUrl(option: string | undefined): string {
  const text = option ?? (process.env.PETSTORE_URL || ownUrl());
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || !url.pathname.endsWith('/v1')) {
    throw new UserError(
      `${option === undefined ? 'PETSTORE_URL' : '--url'} must be an http or https address that ends in /v1, such as https://api.example.com/v1. It was ${text}.`,
    );
  }
  return url.href;
}
