import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { UserError } from '@petstore/service/user-error.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { readConfig } from '../src/config.ts';

test('without any variable the service has sensible settings', () => {
  assert.deepEqual(readConfig({}), {
    host: '127.0.0.1',
    port: 8080,
    databaseUrl: 'sqlite:./data/petstore.db',
    databaseReplicaUrls: [],
    databasePoolSize: 10,
    pageCacheBytes: 16_777_216,
    environment: 'production',
    baseUrl: undefined,
    stagingBaseUrl: undefined,
    corsOrigins: [],
    rateLimit: 0,
    rateLimitWindowSeconds: 1,
    authFailuresPerMinute: 600,
    trustedProxies: [],
    sandboxes: 'open',
    maxSandboxes: 10_000,
    sandboxesPerHour: 100,
    stability: 'experimental',
    logLevel: 'info',
    accessLog: 'errors',
    slowRequestMs: 1_000,
    hasMetrics: true,
    metricsToken: undefined,
    tracing: undefined,
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 30_000,
    idempotencyHours: 24,
    idempotencyResponsesPerKey: 100_000,
    eventsHours: 24,
    eventsMaxBytes: 1_073_741_824,
    maxEventStreams: 200,
    maxEventStreamsPerKey: 20,
    maxWebhooks: 200,
    webhookPrivateAddresses: 'refuse',
    responseTimeoutMs: 60_000,
    keepAliveTimeoutMs: 72_000,
    maxConnections: 10_000,
    maxHeaderBytes: 16_384,
    maxHeaders: 100,
    maxRequestsInFlight: 10_000,
    maxQueuedWrites: 8_192,
    maxEventLoopDelayMs: 250,
    shutdownDelayMs: 0,
    shutdownTimeoutMs: 10_000,
    readyTimeoutMs: 2_000,
  });
  assert.deepEqual(readConfig({ PETSTORE_PORT: '', PETSTORE_ENV: '' }), readConfig({}));
});

test('sandboxes are open to everyone only where a service on loopback has no public address', () => {
  const modeOf = (env: Record<string, string>) => readConfig(env).sandboxes;
  for (const host of ['localhost', '127.0.0.1', '127.8.9.10', '::1']) {
    assert.equal(modeOf({ PETSTORE_HOST: host }), 'open', host);
  }
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.example.com', 'localhost.example.com']) {
    assert.equal(modeOf({ PETSTORE_HOST: host }), 'keys', host);
  }
  for (const name of ['PETSTORE_BASE_URL', 'PETSTORE_STAGING_BASE_URL']) {
    assert.equal(modeOf({ [name]: 'https://api.example.com/v1' }), 'keys', name);
  }
  assert.equal(modeOf({ PETSTORE_TRUSTED_PROXIES: '10.0.0.1' }), 'keys');
  assert.equal(modeOf({ PETSTORE_HOST: '0.0.0.0', PETSTORE_SANDBOXES: 'open' }), 'open');
  assert.equal(modeOf({ PETSTORE_SANDBOXES: 'off' }), 'off');
});

test('a variable that cannot be used is refused by name, with what it must be and what it was', () => {
  const cases: [string, string, RegExp][] = [
    ['PETSTORE_PORT', '65536', /^PETSTORE_PORT must be an integer from 0 to 65535; got "65536"\.$/],
    ['PETSTORE_PORT', '-1', /an integer from 0 to 65535/],
    ['PETSTORE_PORT', '80 80', /an integer from 0 to 65535/],
    ['PETSTORE_PORT', '0x50', /an integer from 0 to 65535/],
    ['PETSTORE_ENV', 'prod', /^PETSTORE_ENV must be one of production, staging; got "prod"\.$/],
    [
      'PETSTORE_STABILITY',
      'alpha',
      /^PETSTORE_STABILITY must be one of stable, beta, experimental; got/,
    ],
    ['PETSTORE_LOG_LEVEL', 'loud', /^PETSTORE_LOG_LEVEL must be one of fatal, .*; got "loud"\.$/],
    ['PETSTORE_BASE_URL', 'https://a/v2', /^PETSTORE_BASE_URL must be .* ends in \/v1/],
    ['PETSTORE_BASE_URL', 'https://a/v1/', /ends in \/v1/],
    ['PETSTORE_BASE_URL', 'https://a/v1?x', /ends in \/v1/],
    ['PETSTORE_BASE_URL', 'https://u:p@a/v1', /ends in \/v1/],
    ['PETSTORE_BASE_URL', 'ftp://a/v1', /http or https/],
    ['PETSTORE_STAGING_BASE_URL', 'a/v1', /^PETSTORE_STAGING_BASE_URL must be/],
    [
      'PETSTORE_CORS_ORIGINS',
      'https://a,https://b/c',
      /^PETSTORE_CORS_ORIGINS must be exact origins .* such as https:\/\/app\.example\.com; got "https:\/\/a,https:\/\/b\/c"\.$/,
    ],
    ['PETSTORE_CORS_ORIGINS', 'https://a/', /no path/],
    ['PETSTORE_CORS_ORIGINS', 'https://a?b', /exact origins/],
    ['PETSTORE_CORS_ORIGINS', 'https://u@a', /exact origins/],
    ['PETSTORE_CORS_ORIGINS', 'https://a:99999', /exact origins/],
    ['PETSTORE_CORS_ORIGINS', 'https://*.example.com', /exact origins/],
    ['PETSTORE_CORS_ORIGINS', 'https://a,', /exact origins/],
    ['PETSTORE_CORS_ORIGINS', '*', /exact origins/],
    ['PETSTORE_CORS_ORIGINS', 'null', /exact origins/],
    ['PETSTORE_CORS_ORIGINS', 'app.example.com', /exact origins/],
    ['PETSTORE_RATE_LIMIT', '-1', /an integer from 0 to 1000000/],
    ['PETSTORE_RATE_LIMIT_WINDOW_SECONDS', '0', /an integer from 1 to 3600/],
    ['PETSTORE_AUTH_FAILURES_PER_MINUTE', 'none', /an integer from 0 to 1000000/],
    [
      'PETSTORE_TRUSTED_PROXIES',
      '10.0.0.0/8,proxy',
      /^PETSTORE_TRUSTED_PROXIES must be IP addresses and networks .*; got "10\.0\.0\.0\/8,proxy"\.$/,
    ],
    ['PETSTORE_TRUSTED_PROXIES', '10.0.0.0/33', /IP addresses and networks/],
    ['PETSTORE_TRUSTED_PROXIES', '0.0.0.0/0', /IP addresses and networks/],
    ['PETSTORE_TRUSTED_PROXIES', 'fd00::/129', /IP addresses and networks/],
    ['PETSTORE_TRUSTED_PROXIES', '10.0.0.256', /IP addresses and networks/],
    ['PETSTORE_TRUSTED_PROXIES', '10.0.0.1,', /IP addresses and networks/],
    ['PETSTORE_REQUEST_TIMEOUT_MS', '0', /an integer from 1 to 3600000/],
    ['PETSTORE_IDEMPOTENCY_HOURS', '0', /an integer from 1 to 720/],
    ['PETSTORE_IDEMPOTENCY_ANSWERS_PER_KEY', '0', /an integer from 1 to 1000000/],
    ['PETSTORE_ACCESS_LOG', 'on', /^PETSTORE_ACCESS_LOG must be one of off, errors, all; got/],
    ['PETSTORE_SLOW_REQUEST_MS', '0', /an integer from 1 to 3600000/],
    ['PETSTORE_METRICS', 'yes', /^PETSTORE_METRICS must be one of on, off; got/],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', /must be an http or https address/],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '/v1/traces', /must be an http or https address/],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', /^OTEL_TRACES_SAMPLER must be one of always_on, /],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', /a number from 0 to 1; got "1\.5"/],
    ['OTEL_TRACES_SAMPLER_ARG', 'half', /a number from 0 to 1/],
    ['PETSTORE_MAX_HEADER_BYTES', '4096', /an integer from 8192 to 131072; got "4096"/],
    ['PETSTORE_MAX_CONNECTIONS', '0', /an integer from 1 to 1000000/],
    ['PETSTORE_MAX_QUEUED_WRITES', '1e3', /an integer from 1 to 1000000/],
    ['PETSTORE_SHUTDOWN_TIMEOUT_MS', '0', /an integer from 1 to 600000/],
    ['PETSTORE_HEADERS_TIMEOUT_MS', '40000', /must not exceed PETSTORE_REQUEST_TIMEOUT_MS/],
  ];
  for (const [name, value, message] of cases) {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error) => error instanceof UserError && message.test(error.message),
      `${name}=${value}`,
    );
  }
});

test('a base address is put into its canonical spelling', () => {
  const { baseUrl } = readConfig({ PETSTORE_BASE_URL: 'HTTPS://API.Example.com:443/a b/v1' });
  assert.equal(baseUrl, 'https://api.example.com/a%20b/v1');
});

test('origins are put into the spelling in which browsers send them', () => {
  const { corsOrigins } = readConfig({
    PETSTORE_CORS_ORIGINS: 'HTTPS://App.Example.com:443, http://localhost:8082,http://[::1]:80',
  });
  assert.deepEqual(corsOrigins, [
    'https://app.example.com',
    'http://localhost:8082',
    'http://[::1]',
  ]);
});

test('the address of the database may come from a file, as secrets do', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'database-url');
  await writeFile(file, 'postgres://petstore:s3cret@db:5432/petstore\n');
  const { databaseUrl } = readConfig({ PETSTORE_DATABASE_URL_FILE: file });
  assert.equal(databaseUrl, 'postgres://petstore:s3cret@db:5432/petstore');
});

test('a file for a secret is refused by name when it is not there, empty, or set beside the variable', async (t) => {
  const folder = await temporaryFolder(t);
  const missing = join(folder, 'missing');
  const empty = join(folder, 'empty');
  const whole = join(folder, 'whole');
  await writeFile(empty, '\n');
  await writeFile(whole, 'postgres://petstore:s3cret@db/petstore');
  const cases: [Record<string, string>, string][] = [
    [
      { PETSTORE_DATABASE_URL_FILE: missing },
      `PETSTORE_DATABASE_URL_FILE names ${missing}, which cannot be read (ENOENT).`,
    ],
    [
      { PETSTORE_DATABASE_URL_FILE: folder },
      `PETSTORE_DATABASE_URL_FILE names ${folder}, which cannot be read (EISDIR).`,
    ],
    [
      { PETSTORE_DATABASE_URL_FILE: empty },
      `PETSTORE_DATABASE_URL_FILE names ${empty}, which is empty; it must hold PETSTORE_DATABASE_URL.`,
    ],
    [
      { PETSTORE_DATABASE_URL_FILE: whole, PETSTORE_DATABASE_URL: 'sqlite:./a.db' },
      'PETSTORE_DATABASE_URL and PETSTORE_DATABASE_URL_FILE are both set; unset one of them.',
    ],
  ];
  for (const [env, message] of cases) {
    assert.throws(() => readConfig(env), new UserError(message));
  }
});

test("traces go where OpenTelemetry's variables say, and the more exact one wins", () => {
  const endpoint = 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const exact = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
  const tracing = (env: Record<string, string>) => readConfig(env).tracing;
  const defaults = { serviceName: 'petstore', ratio: 1, isParentBased: true };
  const url = 'http://collector:4318/v1/traces';
  assert.deepEqual(tracing({ [endpoint]: 'http://collector:4318' }), { ...defaults, url });
  assert.deepEqual(tracing({ [endpoint]: 'http://collector:4318/' }), { ...defaults, url });
  const other = 'https://b/otlp';
  assert.equal(tracing({ [endpoint]: 'http://a', [exact]: other })?.url, other);
  assert.equal(tracing({ [endpoint]: 'http://a', OTEL_SDK_DISABLED: 'true' }), undefined);
  const sampled = (sampler: string) => {
    const { ratio, isParentBased } =
      tracing({ [exact]: other, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0.25' }) ??
      {};
    return [ratio, isParentBased];
  };
  assert.deepEqual(sampled('always_off'), [0, false]);
  assert.deepEqual(sampled('always_on'), [1, false]);
  assert.deepEqual(sampled('traceidratio'), [0.25, false]);
  assert.deepEqual(sampled('parentbased_traceidratio'), [0.25, true]);
});
