import { withoutPassword } from '@petstore/service/database-url.ts';
import {
  type Env,
  integer,
  type LogLevel,
  logLevel,
  mustBe,
  oneOf,
  secretText,
  text,
} from '@petstore/service/environment.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { STABILITY_LEVELS, type StabilityLevel } from './stability.ts';
import { ACCESS_LOG_MODES, type AccessLogMode } from './telemetry/access-log.ts';
import { readTracingConfig, type TracingConfig } from './telemetry/tracing-config.ts';

export type Environment = 'production' | 'staging';

export const DEFAULT_PORT = 8080;
export const DEFAULT_DATABASE_URL = 'sqlite:./data/petstore.db';

export interface Config {
  readonly host: string;
  /** 0 lets the system pick a free one. */
  readonly port: number;
  readonly databaseUrl: string;
  /** Connections to a database server, at most. */
  readonly databasePoolSize: number;
  /** What pages kept in memory may weigh, in bytes; 0 keeps none. */
  readonly pageCacheBytes: number;
  readonly environment: Environment;
  /** The public addresses, each ending in `/v1`; undefined when not configured. */
  readonly baseUrl: string | undefined;
  readonly stagingBaseUrl: string | undefined;
  /** Origins whose pages may call the service, spelled as browsers send them. */
  readonly corsOrigins: readonly string[];
  /** Operations that are less settled are switched off. */
  readonly stability: StabilityLevel;
  readonly logLevel: LogLevel;
  /** Which requests have a line in the log. */
  readonly accessLog: AccessLogMode;
  /** From which duration on a request is slow, in milliseconds. */
  readonly slowRequestMs: number;
  /** Whether there is `GET /metrics`. */
  readonly hasMetrics: boolean;
  /** What has to be sent to read them; undefined lets everyone. */
  readonly metricsToken: string | undefined;
  /** Undefined where no traces are collected. */
  readonly tracing: TracingConfig | undefined;
  /** How long a client may take to send the header section, in milliseconds. */
  readonly headersTimeoutMs: number;
  /** How long a client may take to send a whole request, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** How long the first answer to an Idempotency-Key is kept, in hours. */
  readonly idempotencyHours: number;
  /** How many such answers are kept of each API key, give or take a hundredth. */
  readonly idempotencyAnswersPerKey: number;
}

/**
 * Reads the configuration from environment variables. An empty variable counts as unset. Throws a
 * UserError that names the variable, what it must be, and what it was.
 */
export function readConfig(env: Env): Config {
  const headersTimeoutMs = integer(env, 'PETSTORE_HEADERS_TIMEOUT_MS', 10_000, 1, 3_600_000);
  const requestTimeoutMs = integer(env, 'PETSTORE_REQUEST_TIMEOUT_MS', 30_000, 1, 3_600_000);
  if (headersTimeoutMs > requestTimeoutMs) {
    throw new UserError(
      `PETSTORE_HEADERS_TIMEOUT_MS (${headersTimeoutMs}) must not exceed PETSTORE_REQUEST_TIMEOUT_MS (${requestTimeoutMs}): the headers are part of the request.`,
    );
  }
  return {
    host: text(env, 'PETSTORE_HOST') ?? '127.0.0.1',
    port: integer(env, 'PETSTORE_PORT', DEFAULT_PORT, 0, 65_535),
    databaseUrl: secretText(env, 'PETSTORE_DATABASE_URL') ?? DEFAULT_DATABASE_URL,
    databasePoolSize: integer(env, 'PETSTORE_DATABASE_POOL_SIZE', 10, 1, 1_000),
    pageCacheBytes: integer(env, 'PETSTORE_PAGE_CACHE_BYTES', 16_777_216, 0, 999_999_999),
    environment: oneOf(env, 'PETSTORE_ENV', ['production', 'staging'], 'production'),
    baseUrl: baseUrl(env, 'PETSTORE_BASE_URL'),
    stagingBaseUrl: baseUrl(env, 'PETSTORE_STAGING_BASE_URL'),
    corsOrigins: origins(env, 'PETSTORE_CORS_ORIGINS'),
    stability: oneOf(env, 'PETSTORE_STABILITY', STABILITY_LEVELS, 'experimental'),
    logLevel: logLevel(env, 'PETSTORE_LOG_LEVEL'),
    accessLog: oneOf(env, 'PETSTORE_ACCESS_LOG', ACCESS_LOG_MODES, 'errors'),
    slowRequestMs: integer(env, 'PETSTORE_SLOW_REQUEST_MS', 1_000, 1, 3_600_000),
    hasMetrics: oneOf(env, 'PETSTORE_METRICS', ['on', 'off'], 'on') === 'on',
    metricsToken: secretText(env, 'PETSTORE_METRICS_TOKEN'),
    tracing: readTracingConfig(env),
    headersTimeoutMs,
    requestTimeoutMs,
    idempotencyHours: integer(env, 'PETSTORE_IDEMPOTENCY_HOURS', 24, 1, 720),
    idempotencyAnswersPerKey: integer(
      env,
      'PETSTORE_IDEMPOTENCY_ANSWERS_PER_KEY',
      100_000,
      1,
      1_000_000,
    ),
  };
}

function baseUrl(env: Env, name: string): string | undefined {
  const raw = text(env, name);
  if (raw === undefined) return undefined;
  const wanted = 'an http or https address that ends in /v1, such as https://api.example.com/v1';
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  const usable =
    url !== undefined &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '' &&
    url.pathname.endsWith('/v1');
  // The canonical spelling goes into headers, so no character of the raw text reaches them unread.
  if (!usable) throw mustBe(name, wanted, withoutPassword(raw));
  return url.href;
}

/** Each in the one spelling in which browsers send it: lower case, no default port. */
function origins(env: Env, name: string): string[] {
  const raw = text(env, name);
  if (raw === undefined) return [];
  return raw.split(',').map((item) => {
    const origin = item.trim();
    // The parser of URLs takes a star for a character of the host; no browser sends one.
    if (!/^https?:\/\/[^/?#@\\*\s]+$/i.test(origin) || !URL.canParse(origin)) {
      const wanted =
        'exact origins separated by commas, each http or https, a host and no path, such as https://app.example.com';
      throw mustBe(name, wanted, withoutPassword(raw));
    }
    return new URL(origin).origin;
  });
}
