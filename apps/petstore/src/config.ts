import { isIP } from 'node:net';
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
import { type Limits, readLimits } from './limits.ts';
import { STABILITY_LEVELS, type StabilityLevel } from './stability.ts';
import { ACCESS_LOG_MODES, type AccessLogMode } from './telemetry/access-log.ts';
import { readTracingConfig, type TracingConfig } from './telemetry/tracing-config.ts';

export type Environment = 'production' | 'staging';

const SANDBOX_MODES = ['off', 'keys', 'open'] as const;
type SandboxMode = (typeof SANDBOX_MODES)[number];

const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 8080;
export const DEFAULT_DATABASE_URL = 'sqlite:./data/petstore.db';

export interface Config extends Limits {
  readonly host: string;
  /** 0 lets the system pick a free one. */
  readonly port: number;
  readonly databaseUrl: string;
  /** Standbys of a PostgreSQL database, to read from. */
  readonly databaseReplicaUrls: readonly string[];
  /** Connections to a database server, at most. */
  readonly databasePoolSize: number;
  /** The most memory for pages, in bytes; 0 keeps none. */
  readonly pageCacheBytes: number;
  readonly environment: Environment;
  /** The public addresses, each ending in `/v1`; undefined when not configured. */
  readonly baseUrl: string | undefined;
  readonly stagingBaseUrl: string | undefined;
  /** Origins whose pages may call the service, spelled as browsers send them. */
  readonly corsOrigins: readonly string[];
  /** Requests that a key may make in each second of a window, on average; 0 for no limit. */
  readonly rateLimit: number;
  /** The window in which a key's requests are counted, in seconds. */
  readonly rateLimitWindowSeconds: number;
  /** Failed authentications of an address in a minute, after which it is refused; 0 for no limit. */
  readonly authFailuresPerMinute: number;
  /** Proxies, as addresses and networks, whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Who may make sandboxes: nobody, whoever has a key, or everyone. */
  readonly sandboxes: SandboxMode;
  /** Sandboxes that there may be at once. */
  readonly maxSandboxes: number;
  /** Sandboxes that one address, or one key, may make in an hour; 0 for no limit. */
  readonly sandboxesPerHour: number;
  /** Operations that are less settled are switched off. */
  readonly stability: StabilityLevel;
  readonly logLevel: LogLevel;
  /** Which requests have a line in the log. */
  readonly accessLog: AccessLogMode;
  /** From which duration on a request is slow, in milliseconds. */
  readonly slowRequestMs: number;
  /** Whether there is `GET /metrics`. */
  readonly hasMetrics: boolean;
  /** The token that a request for them needs; undefined lets everyone read them. */
  readonly metricsToken: string | undefined;
  /** Undefined where no traces are collected. */
  readonly tracing: TracingConfig | undefined;
  /** How long the first response to an Idempotency-Key is kept, in hours. */
  readonly idempotencyHours: number;
  /** How many such responses are kept of each API key, give or take a twentieth. */
  readonly idempotencyResponsesPerKey: number;
  /** How long an event is kept, in hours. */
  readonly eventsHours: number;
  /** How many bytes of events are kept, at most; older ones go sooner. */
  readonly eventsMaxBytes: number;
  /** Streams of events that may be open at once, and those of one key. */
  readonly maxEventStreams: number;
  readonly maxEventStreamsPerKey: number;
  /** Webhooks that may be kept. */
  readonly maxWebhooks: number;
  /** Whether webhooks may lead to private networks, and go over http. */
  readonly webhookPrivateAddresses: 'refuse' | 'allow';
  /** How long the process goes on as before when it is told to stop, in milliseconds. */
  readonly shutdownDelayMs: number;
  /** How long requests under way may then take to finish, in milliseconds. */
  readonly shutdownTimeoutMs: number;
  /** How long readiness waits for the store, in milliseconds. */
  readonly readyTimeoutMs: number;
}

/**
 * Reads the configuration from environment variables. An empty variable counts as unset. Throws a
 * UserError that names the variable, what it must be, and what it was.
 */
export function readConfig(env: Env): Config {
  return {
    host: text(env, 'PETSTORE_HOST') ?? DEFAULT_HOST,
    port: integer(env, 'PETSTORE_PORT', DEFAULT_PORT, 0, 65_535),
    databaseUrl: secretText(env, 'PETSTORE_DATABASE_URL') ?? DEFAULT_DATABASE_URL,
    databaseReplicaUrls:
      secretText(env, 'PETSTORE_DATABASE_REPLICA_URL')?.trim().split(/\s+/) ?? [],
    databasePoolSize: integer(env, 'PETSTORE_DATABASE_POOL_SIZE', 10, 1, 1_000),
    pageCacheBytes: integer(env, 'PETSTORE_PAGE_CACHE_BYTES', 16_777_216, 0, 999_999_999),
    environment: oneOf(env, 'PETSTORE_ENV', ['production', 'staging'], 'production'),
    baseUrl: baseUrl(env, 'PETSTORE_BASE_URL'),
    stagingBaseUrl: baseUrl(env, 'PETSTORE_STAGING_BASE_URL'),
    corsOrigins: origins(env, 'PETSTORE_CORS_ORIGINS'),
    rateLimit: integer(env, 'PETSTORE_RATE_LIMIT', 0, 0, 1_000_000),
    rateLimitWindowSeconds: integer(env, 'PETSTORE_RATE_LIMIT_WINDOW_SECONDS', 1, 1, 3_600),
    authFailuresPerMinute: integer(env, 'PETSTORE_AUTH_FAILURES_PER_MINUTE', 600, 0, 1_000_000),
    trustedProxies: networks(env, 'PETSTORE_TRUSTED_PROXIES'),
    sandboxes: oneOf(env, 'PETSTORE_SANDBOXES', SANDBOX_MODES, defaultSandboxes(env)),
    maxSandboxes: integer(env, 'PETSTORE_MAX_SANDBOXES', 10_000, 1, 1_000_000),
    sandboxesPerHour: integer(env, 'PETSTORE_SANDBOXES_PER_HOUR', 100, 0, 1_000_000),
    stability: oneOf(env, 'PETSTORE_STABILITY', STABILITY_LEVELS, 'experimental'),
    logLevel: logLevel(env, 'PETSTORE_LOG_LEVEL'),
    accessLog: oneOf(env, 'PETSTORE_ACCESS_LOG', ACCESS_LOG_MODES, 'errors'),
    slowRequestMs: integer(env, 'PETSTORE_SLOW_REQUEST_MS', 1_000, 1, 3_600_000),
    hasMetrics: oneOf(env, 'PETSTORE_METRICS', ['on', 'off'], 'on') === 'on',
    metricsToken: secretText(env, 'PETSTORE_METRICS_TOKEN'),
    tracing: readTracingConfig(env),
    idempotencyHours: integer(env, 'PETSTORE_IDEMPOTENCY_HOURS', 24, 1, 720),
    idempotencyResponsesPerKey: integer(
      env,
      'PETSTORE_IDEMPOTENCY_ANSWERS_PER_KEY',
      100_000,
      1,
      1_000_000,
    ),
    eventsHours: integer(env, 'PETSTORE_EVENTS_HOURS', 24, 1, 8_760),
    eventsMaxBytes: 1_048_576 * integer(env, 'PETSTORE_EVENTS_MAX_MB', 1_024, 1, 1_000_000),
    maxEventStreams: integer(env, 'PETSTORE_MAX_EVENT_STREAMS', 200, 0, 100_000),
    maxEventStreamsPerKey: integer(env, 'PETSTORE_MAX_EVENT_STREAMS_PER_KEY', 20, 0, 100_000),
    maxWebhooks: integer(env, 'PETSTORE_MAX_WEBHOOKS', 200, 0, 10_000),
    webhookPrivateAddresses: oneOf(
      env,
      'PETSTORE_WEBHOOK_PRIVATE_ADDRESSES',
      ['refuse', 'allow'],
      'refuse',
    ),
    ...readLimits(env),
    shutdownDelayMs: integer(env, 'PETSTORE_SHUTDOWN_DELAY_MS', 0, 0, 600_000),
    shutdownTimeoutMs: integer(env, 'PETSTORE_SHUTDOWN_TIMEOUT_MS', 10_000, 1, 600_000),
    readyTimeoutMs: integer(env, 'PETSTORE_READY_TIMEOUT_MS', 2_000, 1, 60_000),
  };
}

/**
 * Only people at this machine reach a service on loopback, unless a proxy stands before it; then the service has been
 * told its public address. Elsewhere nobody without a key makes it store anything.
 */
function defaultSandboxes(env: Env): SandboxMode {
  const host = text(env, 'PETSTORE_HOST') ?? DEFAULT_HOST;
  const isLocal = host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host);
  const isPublic = [
    'PETSTORE_BASE_URL',
    'PETSTORE_STAGING_BASE_URL',
    'PETSTORE_TRUSTED_PROXIES',
  ].some((name) => text(env, name) !== undefined);
  return isLocal && !isPublic ? 'open' : 'keys';
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
  // The canonical spelling goes into headers, so no unchecked character of the setting reaches them.
  if (!usable) throw mustBe(name, wanted, withoutPassword(raw));
  return url.href;
}

/** Each in the spelling that browsers send: lower case, and no default port. */
function origins(env: Env, name: string): string[] {
  const raw = text(env, name);
  if (raw === undefined) return [];
  return raw.split(',').map((item) => {
    const origin = item.trim();
    // The URL parser accepts a star in a host name. Browsers never send one.
    if (!/^https?:\/\/[^/?#@\\*\s]+$/i.test(origin) || !URL.canParse(origin)) {
      const wanted =
        'exact origins separated by commas, each http or https, a host and no path, such as https://app.example.com';
      throw mustBe(name, wanted, withoutPassword(raw));
    }
    return new URL(origin).origin;
  });
}

/** Addresses, each of one machine or, with the length of a prefix behind it, of a network. */
function networks(env: Env, name: string): string[] {
  const raw = text(env, name);
  if (raw === undefined) return [];
  return raw.split(',').map((item) => {
    const [, address = '', bits = '1'] =
      /^([\da-f.:]+)(?:\/([1-9]\d{0,2}))?$/i.exec(item.trim()) ?? [];
    const version = isIP(address);
    if (version === 0 || Number(bits) > (version === 4 ? 32 : 128)) {
      const wanted =
        'IP addresses and networks separated by commas, such as 10.0.0.0/8,192.168.1.7,fd00::/8';
      throw mustBe(name, wanted, raw);
    }
    return item.trim();
  });
}
