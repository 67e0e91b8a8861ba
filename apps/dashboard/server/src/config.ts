import { join } from 'node:path';
import {
  type Env,
  integer,
  type LogLevel,
  logLevel,
  oneOf,
  secretText,
  text,
} from '@petstore/service/environment.ts';
import { readSyslogConfig, type SyslogConfig } from './audit/syslog/syslog-config.ts';
import { type AcmeConfig, readAcme } from './config-acme.ts';
import { type DomainConfig, readDomain, withDomainDefaults } from './config-domain.ts';
import {
  hostName,
  type MailConfig,
  mail,
  nameServers,
  networks,
  origin,
  secretKey,
} from './config-values.ts';
import { DEPLOY_LIMITS, type DeployLimits } from './deploys/deploy-limits.ts';
import { type DomainConnectConfig, readDomainConnect } from './domain-connect/config.ts';
import { type OidcProviderConfig, readOidc } from './oidc/oidc-config.ts';
import { readZoneConfig, type ZoneConfig } from './zone/zone-config.ts';

const DEFAULT_DATA_DIR = './data';

export interface Config {
  readonly host: string;
  /** 0 lets the system pick a free one; so do the edge's. */
  readonly port: number;
  readonly databaseUrl: string;
  /** Connections to a database server, at most. */
  readonly databasePoolSize: number;
  /** The database where no address is set. */
  readonly dataDir: string;
  /** Sites are at `SLUG.` and this name. */
  readonly platformHost: string;
  /** The dashboard's address for browsers; undefined: its own host and port. */
  readonly publicUrl: string | undefined;
  /** Proxies in front, whose X-Forwarded-For and X-Forwarded-Proto are believed. */
  readonly trustedProxies: readonly string[];
  /** Who may create an account once there is one. */
  readonly signUp: 'invitation' | 'open';
  /** OpenID providers with which people sign in; none: with passwords alone. */
  readonly oidc: readonly OidcProviderConfig[];
  readonly logLevel: LogLevel;
  /** Where the operator reads metrics and readiness; undefined: nowhere. */
  readonly operator: OperatorConfig | undefined;
  /** How long to go on serving, unready, once told to stop, in milliseconds. */
  readonly shutdownDelayMs: number;
  readonly edge: EdgeConfig;
  /** The names that this installation serves over HTTPS by itself; undefined: it is reached in another way. */
  readonly domain: DomainConfig | undefined;
  readonly deploys: DeployLimits;
  /** After so many days without a deploy, the preview of a branch ends. */
  readonly previewDays: number;
  /** 32 bytes that seal secrets in the database; undefined: those of a file in the data folder. */
  readonly secretKey: Buffer | undefined;
  readonly acme: AcmeConfig;
  /** Recursive name servers, as `ip:port`; none: the system's. */
  readonly dnsServers: readonly string[];
  /** Further resolvers, as `ip:port`, whose answers are shown while a domain moves. */
  readonly dnsWatchResolvers: readonly string[];
  /** The port of authoritative name servers; other than 53 only in tests and labs. */
  readonly dnsAuthoritativePort: number;
  /** Whether authoritative servers, and the hosts of domains that move, may be on this machine or in its private network. */
  readonly dnsPrivateServers: 'refuse' | 'allow';
  /** The zone that this installation answers for itself; undefined: none. */
  readonly dnsZone: ZoneConfig | undefined;
  /** A file that lists the Certificate Transparency logs to follow; undefined: none. */
  readonly ctLogList: string | undefined;
  /** How DNS providers know this installation; undefined: they are not asked. */
  readonly domainConnect: DomainConnectConfig | undefined;
  readonly mail: MailConfig | undefined;
  /** Where the audit log is sent; undefined: nowhere. */
  readonly auditSyslog: SyslogConfig | undefined;
  /** Whether receivers of webhooks may be on this machine or in its private network, and use http. */
  readonly webhookPrivateAddresses: 'refuse' | 'allow';
  readonly rehearsal: RehearsalConfig;
  readonly git: GitConfig;
  /** Whether owners may switch on the request proxy of their sites. */
  readonly requestProxy: 'refuse' | 'allow';
  /** Private networks whose servers it may call; none: those of the internet alone. */
  readonly requestProxyNetworks: readonly string[];
}

interface OperatorConfig {
  readonly host: string;
  readonly port: number;
  /** What a scraper has to send as a bearer token; undefined: nothing. */
  readonly token: string | undefined;
}

/** The ports of the site that a rehearsal fetches; others than 80 and 443 only in tests and labs. */
interface RehearsalConfig {
  readonly httpPort: number;
  readonly httpsPort: number;
}

/** Projects that are deployed from a repository. */
interface GitConfig {
  readonly sources: 'allow' | 'refuse';
  /** Whether repositories may be on this machine or in its private network. */
  readonly privateAddresses: 'refuse' | 'allow';
  /** How often each repository is asked for new commits, in seconds. */
  readonly pollSeconds: number;
  /** A file in PEM, with extra roots for the hosts of repositories. */
  readonly caFile: string | undefined;
  /** Of a branch: what is transferred, and its files together. */
  readonly maxBytes: number;
  readonly maxFiles: number;
  /** How long fetching a branch may take. */
  readonly seconds: number;
}

interface EdgeConfig {
  readonly host: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The port at which browsers reach httpsPort; undefined: the same. */
  readonly httpsPublicPort: number | undefined;
  /** The scheme and port at which browsers reach sites; undefined: http and the edge's own port. */
  readonly publicUrl: string | undefined;
  /** The most memory for file contents, in bytes. */
  readonly cacheBytes: number;
  /** How many custom hosts keep their certificates ready for handshakes; one takes some 45 kB. */
  readonly tlsCacheHosts: number;
  /** The most connections of one address on each port; 0: no bound. */
  readonly connectionsPerAddress: number;
}

/**
 * Reads the configuration from environment variables. An empty variable counts as unset. Throws a
 * UserError that names the variable, what it must be, and what it was.
 */
export function readConfig(given: Env): Config {
  const domain = readDomain(given);
  const env = withDomainDefaults(given);
  const dataDir = text(env, 'DASHBOARD_DATA_DIR') ?? DEFAULT_DATA_DIR;
  const dnsZone = readZoneConfig(env);
  return {
    host: text(env, 'DASHBOARD_HOST') ?? '127.0.0.1',
    port: integer(env, 'DASHBOARD_PORT', 8081, 0, 65_535),
    databaseUrl: text(env, 'DASHBOARD_DATABASE_URL') ?? `sqlite:${join(dataDir, 'dashboard.db')}`,
    databasePoolSize: integer(env, 'DASHBOARD_DATABASE_POOL_SIZE', 10, 1, 1_000),
    dataDir,
    platformHost: hostName(env, 'DASHBOARD_PLATFORM_HOST', 'docs.localhost'),
    publicUrl: origin(env, 'DASHBOARD_PUBLIC_URL'),
    trustedProxies: networks(env, 'DASHBOARD_TRUSTED_PROXIES'),
    signUp: oneOf(env, 'DASHBOARD_SIGN_UP', ['invitation', 'open'], 'invitation'),
    oidc: readOidc(env),
    logLevel: logLevel(env, 'DASHBOARD_LOG_LEVEL'),
    operator: readOperator(env),
    shutdownDelayMs: integer(env, 'DASHBOARD_SHUTDOWN_DELAY_MS', 0, 0, 600_000),
    edge: {
      host: text(env, 'EDGE_HOST') ?? '127.0.0.1',
      httpPort: integer(env, 'EDGE_HTTP_PORT', 8082, 0, 65_535),
      httpsPort: integer(env, 'EDGE_HTTPS_PORT', 8443, 0, 65_535),
      httpsPublicPort: httpsPublicPort(env),
      publicUrl: origin(env, 'EDGE_PUBLIC_URL'),
      cacheBytes: integer(env, 'EDGE_CACHE_BYTES', 67_108_864, 1_048_576, 999_999_999),
      tlsCacheHosts: integer(env, 'EDGE_TLS_CACHE_HOSTS', 3_000, 10, 10_000_000),
      connectionsPerAddress: integer(env, 'EDGE_CONNECTIONS_PER_ADDRESS', 1_000, 0, 10_000_000),
    },
    domain,
    deploys: deployLimits(env),
    previewDays: integer(env, 'DASHBOARD_PREVIEW_DAYS', 30, 1, 3_650),
    secretKey: secretKey(env, 'DASHBOARD_SECRET_KEY'),
    acme: readAcme(env),
    dnsServers: nameServers(env, 'DNS_SERVERS'),
    dnsWatchResolvers: nameServers(env, 'DNS_WATCH_RESOLVERS'),
    dnsAuthoritativePort: integer(env, 'DNS_AUTHORITATIVE_PORT', 53, 1, 65_535),
    dnsPrivateServers: oneOf(env, 'DNS_PRIVATE_SERVERS', ['refuse', 'allow'], 'refuse'),
    dnsZone,
    domainConnect: readDomainConnect(env, dnsZone),
    ctLogList: text(env, 'CT_LOG_LIST'),
    mail: mail(env),
    auditSyslog: readSyslogConfig(env),
    webhookPrivateAddresses: oneOf(
      env,
      'DASHBOARD_WEBHOOK_PRIVATE_ADDRESSES',
      ['refuse', 'allow'],
      'refuse',
    ),
    rehearsal: {
      httpPort: integer(env, 'DASHBOARD_REHEARSAL_HTTP_PORT', 80, 1, 65_535),
      httpsPort: integer(env, 'DASHBOARD_REHEARSAL_HTTPS_PORT', 443, 1, 65_535),
    },
    git: {
      sources: oneOf(env, 'DASHBOARD_GIT', ['allow', 'refuse'], 'allow'),
      privateAddresses: oneOf(
        env,
        'DASHBOARD_GIT_PRIVATE_ADDRESSES',
        ['refuse', 'allow'],
        'refuse',
      ),
      pollSeconds: integer(env, 'DASHBOARD_GIT_POLL_SECONDS', 300, 10, 86_400),
      caFile: text(env, 'DASHBOARD_GIT_CA_FILE'),
      maxBytes: integer(env, 'DASHBOARD_GIT_MAX_BYTES', 500_000_000, 1_000_000, 20_000_000_000),
      maxFiles: integer(env, 'DASHBOARD_GIT_MAX_FILES', 50_000, 10, 1_000_000),
      seconds: integer(env, 'DASHBOARD_GIT_SECONDS', 300, 10, 3_600),
    },
    requestProxy: oneOf(env, 'DASHBOARD_REQUEST_PROXY', ['refuse', 'allow'], 'refuse'),
    requestProxyNetworks: networks(env, 'DASHBOARD_REQUEST_PROXY_NETWORKS'),
  };
}

/** undefined without a port. All are read, so that a wrong one is told in any case. */
function readOperator(env: Env): OperatorConfig | undefined {
  const name = 'DASHBOARD_METRICS_PORT';
  const host = text(env, 'DASHBOARD_METRICS_HOST') ?? '127.0.0.1';
  const token = secretText(env, 'DASHBOARD_METRICS_TOKEN');
  const port = integer(env, name, 0, 0, 65_535);
  return text(env, name) === undefined ? undefined : { host, port, token };
}

/** The limits of deploys that an operator sets; a folder is tried on another machine with the same ones. */
export function deployLimits(env: Env): DeployLimits {
  const { uploadBytes, unpackedBytes, archiveFiles, site, buildSeconds, buildMemory } =
    DEPLOY_LIMITS;
  const size = (name: string, fallback: number, most: number) =>
    integer(env, name, fallback, 1_000_000, most);
  return {
    uploadBytes: size('DASHBOARD_MAX_UPLOAD_BYTES', uploadBytes, 500_000_000),
    unpackedBytes: size('DASHBOARD_MAX_UNPACKED_BYTES', unpackedBytes, 2_000_000_000),
    archiveFiles: integer(env, 'DASHBOARD_MAX_ARCHIVE_FILES', archiveFiles, 10, 1_000_000),
    site: {
      bytes: size('DASHBOARD_MAX_SITE_BYTES', site.bytes, 20_000_000_000),
      files: integer(env, 'DASHBOARD_MAX_SITE_FILES', site.files, 100, 2_000_000),
    },
    buildSeconds: integer(env, 'DASHBOARD_BUILD_SECONDS', buildSeconds, 10, 86_400),
    buildMemory: integer(env, 'DASHBOARD_BUILD_MEMORY_MB', buildMemory, 512, 65_536),
  };
}

/** 443 where a proxy in front of the edge is on another port; else the edge's own. */
function httpsPublicPort(env: Env): number | undefined {
  const name = 'EDGE_HTTPS_PUBLIC_PORT';
  const isBehind = text(env, 'EDGE_PUBLIC_URL') !== undefined;
  if (text(env, name) === undefined && !isBehind) return undefined;
  return integer(env, name, 443, 1, 65_535);
}
