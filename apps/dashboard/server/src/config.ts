import { isIP } from 'node:net';
import { join } from 'node:path';
import {
  type Env,
  integer,
  type LogLevel,
  logLevel,
  mustBe,
  oneOf,
  text,
} from '@petstore/service/environment.ts';
import { canonicalHost } from './edge/host.ts';

const DEFAULT_DATA_DIR = './data';

export interface Config {
  readonly host: string;
  /** 0 lets the system pick a free one; so do the edge's. */
  readonly port: number;
  readonly databaseUrl: string;
  /** Connections to a database server, at most. */
  readonly databasePoolSize: number;
  /** Where the database is when no address names it. */
  readonly dataDir: string;
  /** Sites are at `SLUG.` and this. */
  readonly platformHost: string;
  /** Where browsers reach the dashboard; undefined: at its own host and port. */
  readonly publicUrl: string | undefined;
  /** Proxies in front, whose X-Forwarded-For and X-Forwarded-Proto are believed. */
  readonly trustedProxies: readonly string[];
  /** Who may make an account once there is one. */
  readonly signUp: 'invitation' | 'open';
  readonly logLevel: LogLevel;
  readonly edge: EdgeConfig;
}

interface EdgeConfig {
  readonly host: string;
  readonly httpPort: number;
  /** Scheme and port by which browsers reach sites; undefined: http and the edge's own port. */
  readonly publicUrl: string | undefined;
  /** What contents kept in memory may weigh, in bytes. */
  readonly cacheBytes: number;
}

/**
 * Reads the configuration from environment variables. An empty variable counts as unset. Throws a
 * UserError that names the variable, what it must be, and what it was.
 */
export function readConfig(env: Env): Config {
  const dataDir = text(env, 'DASHBOARD_DATA_DIR') ?? DEFAULT_DATA_DIR;
  return {
    host: text(env, 'DASHBOARD_HOST') ?? '127.0.0.1',
    port: integer(env, 'DASHBOARD_PORT', 8081, 0, 65_535),
    databaseUrl: text(env, 'DASHBOARD_DATABASE_URL') ?? `sqlite:${join(dataDir, 'dashboard.db')}`,
    databasePoolSize: integer(env, 'DASHBOARD_DATABASE_POOL_SIZE', 10, 1, 1_000),
    dataDir,
    platformHost: hostName(env, 'DASHBOARD_PLATFORM_HOST', 'docs.localhost'),
    publicUrl: origin(env, 'DASHBOARD_PUBLIC_URL'),
    trustedProxies: proxies(env, 'DASHBOARD_TRUSTED_PROXIES'),
    signUp: oneOf(env, 'DASHBOARD_SIGN_UP', ['invitation', 'open'], 'invitation'),
    logLevel: logLevel(env, 'DASHBOARD_LOG_LEVEL'),
    edge: {
      host: text(env, 'EDGE_HOST') ?? '127.0.0.1',
      httpPort: integer(env, 'EDGE_HTTP_PORT', 8082, 0, 65_535),
      publicUrl: origin(env, 'EDGE_PUBLIC_URL'),
      cacheBytes: integer(env, 'EDGE_CACHE_BYTES', 67_108_864, 1_048_576, 999_999_999),
    },
  };
}

function hostName(env: Env, name: string, fallback: string): string {
  const raw = text(env, name) ?? fallback;
  const host = canonicalHost(raw);
  if (host === undefined || host !== raw.toLowerCase()) {
    throw mustBe(name, 'a host name without port, such as docs.example.com', raw);
  }
  return host;
}

/** An http or https address without path, in its canonical spelling. */
function origin(env: Env, name: string): string | undefined {
  const raw = text(env, name);
  if (raw === undefined) return undefined;
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  const isOrigin =
    url !== undefined && `${url.origin}/` === url.href && /^https?:$/.test(url.protocol);
  if (!isOrigin)
    throw mustBe(
      name,
      'an http or https address without a path, such as https://docs.example.com',
      raw,
    );
  return url.origin;
}

/** Addresses and blocks (`10.0.0.0/8`), separated by commas. */
function proxies(env: Env, name: string): string[] {
  const raw = text(env, name) ?? '';
  const entries = raw.split(',').map((entry) => entry.trim());
  const listed = entries.filter((entry) => entry !== '');
  for (const entry of listed) {
    const [address = '', bits] = entry.split('/');
    const width = isIP(address) === 4 ? 32 : 128;
    const isBlock = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width);
    if (!isIP(address) || !isBlock) {
      throw mustBe(name, 'IP addresses or blocks such as 10.0.0.0/8, separated by commas', raw);
    }
  }
  return listed;
}
