import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '@petstore/service/user-error.ts';
import { readConfig } from '../src/config.ts';

test('without any variable the service has sensible settings', () => {
  assert.deepEqual(readConfig({}), {
    host: '127.0.0.1',
    port: 8080,
    databaseUrl: 'sqlite:./data/petstore.db',
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
    stability: 'experimental',
    logLevel: 'info',
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 30_000,
  });
  assert.deepEqual(readConfig({ PETSTORE_PORT: '', PETSTORE_ENV: '' }), readConfig({}));
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
