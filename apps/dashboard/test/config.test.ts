import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '@petstore/service/user-error.ts';
import { addressesOf } from '../server/src/addresses.ts';
import { readConfig } from '../server/src/config.ts';

test('without any variable the service has sensible settings', () => {
  assert.deepEqual(readConfig({}), {
    host: '127.0.0.1',
    port: 8081,
    databaseUrl: 'sqlite:data/dashboard.db',
    databasePoolSize: 10,
    dataDir: './data',
    platformHost: 'docs.localhost',
    publicUrl: undefined,
    trustedProxies: [],
    signUp: 'invitation',
    oidc: [],
    logLevel: 'info',
    operator: undefined,
    shutdownDelayMs: 0,
    domain: undefined,
    edge: {
      host: '127.0.0.1',
      httpPort: 8082,
      httpsPort: 8443,
      httpsPublicPort: undefined,
      publicUrl: undefined,
      cacheBytes: 67_108_864,
      tlsCacheHosts: 3_000,
      connectionsPerAddress: 1_000,
    },
    deploys: {
      uploadBytes: 50_000_000,
      unpackedBytes: 200_000_000,
      archiveFiles: 20_000,
      site: { bytes: 1_000_000_000, files: 100_000 },
      buildSeconds: 300,
      buildMemory: 3_072,
    },
    previewDays: 30,
    secretKey: undefined,
    acme: {
      authorities: [
        {
          directoryUrl: 'https://acme-v02.api.letsencrypt.org/directory',
          eab: undefined,
          profile: undefined,
          caaIdentities: [],
          challenges: ['http-01', 'tls-alpn-01'],
          ordersPer3Hours: 300,
        },
      ],
      stagingDirectoryUrl: undefined,
      caFile: undefined,
      email: undefined,
    },
    dnsServers: [],
    dnsWatchResolvers: [],
    dnsAuthoritativePort: 53,
    dnsPrivateServers: 'refuse',
    dnsZone: undefined,
    mail: undefined,
    auditSyslog: undefined,
    ctLogList: undefined,
    domainConnect: undefined,
    webhookPrivateAddresses: 'refuse',
    rehearsal: { httpPort: 80, httpsPort: 443 },
    git: {
      sources: 'allow',
      privateAddresses: 'refuse',
      pollSeconds: 300,
      caFile: undefined,
      maxBytes: 500_000_000,
      maxFiles: 50_000,
      seconds: 300,
    },
    requestProxy: 'refuse',
    requestProxyNetworks: [],
  });
  assert.deepEqual(readConfig({ DASHBOARD_PORT: '', EDGE_HOST: '' }), readConfig({}));
  const { databaseUrl } = readConfig({ DASHBOARD_DATA_DIR: '/var/lib/dashboard' });
  assert.equal(databaseUrl, 'sqlite:/var/lib/dashboard/dashboard.db');
});

test('a variable that cannot be used is refused by name, with what it must be', () => {
  const table: [variable: string, values: string[], wanted: RegExp][] = [
    ['DASHBOARD_PORT', ['65536', '-1', '0x50', '80 80'], /an integer from 0 to 65535/],
    ['EDGE_HTTP_PORT', ['x'], /an integer from 0 to 65535/],
    ['EDGE_HTTPS_PORT', ['65536'], /an integer from 0 to 65535/],
    ['EDGE_HTTPS_PUBLIC_PORT', ['x', '0'], /an integer from 1 to 65535/],
    [
      'ACME_EMAIL',
      ['ops', 'mailto:ops@example.com', 'a@b', 'a@b.test,c@d.test', 'a b@c.test'],
      /one e-mail/,
    ],
    ['ACME_DIRECTORY_URL', ['http://ca.example', 'x'], /an https address/],
    ['ACME_STAGING_DIRECTORY_URL', ['ca.example'], /an https address/],
    ['ACME_CHALLENGES', ['dns-01', 'http-01,x'], /a list of http-01, tls-alpn-01/],
    ['ACME_CAA_IDENTITIES', ['a b', 'letsencrypt.org,127.0.0.1'], /host names/],
    ['ACME_PROFILE', ['short lived'], /a profile of the authority/],
    ['ACME_ORDERS_PER_3_HOURS', ['9', '-1', 'many', '1e9'], /a number from 10, or unlimited/],
    ['DNS_SERVERS', ['x', '127.0.0.1:0', '127.0.0.1:65536', '[::1', '::1,y:53'], /addresses of/],
    ['DNS_AUTHORITATIVE_PORT', ['0'], /an integer from 1 to 65535/],
    ['DNS_WATCH_RESOLVERS', ['one.one.one.one'], /addresses of/],
    ['DNS_PRIVATE_SERVERS', ['yes'], /refuse/],
    [
      'DNS_ZONE',
      [
        'example.com',
        'co.uk',
        'a b.example.com',
        'A.example.com.',
        `${'a'.repeat(61)}.b.example.com`,
      ],
      /a name below/,
    ],
    ['DNS_HOST', ['localhost', '127.0.0.1,x'], /IP addresses/],
    ['DNS_ADDRESSES', ['203.0.113.10:53', 'ns.example.com'], /IP addresses/],
    ['DNS_PORT', ['65536'], /an integer from 0/],
    ['DOMAIN_CONNECT_PROVIDER_ID', ['a b', 'Docs.example.com'], /a domain name of yours/],
    ['DOMAIN_CONNECT_PROVIDER_ID', ['docs.example.com'], /unset without DNS_ZONE/],
    ['EDGE_CONNECTIONS_PER_ADDRESS', ['-1', 'x'], /an integer from 0/],
    ['EDGE_TLS_CACHE_HOSTS', ['9'], /an integer from 10/],
    ['EDGE_CACHE_BYTES', ['1'], /an integer from 1048576/],
    ['DASHBOARD_DATABASE_POOL_SIZE', ['0', '1001'], /an integer from 1 to 1000/],
    ['DASHBOARD_MAX_UPLOAD_BYTES', ['0', '50MB'], /an integer from 1000000/],
    ['DASHBOARD_MAX_UNPACKED_BYTES', ['1'], /an integer from 1000000/],
    ['DASHBOARD_MAX_ARCHIVE_FILES', ['9'], /an integer from 10/],
    ['DASHBOARD_MAX_SITE_BYTES', ['1e9'], /an integer from 1000000/],
    ['DASHBOARD_MAX_SITE_FILES', ['-1'], /an integer from 100/],
    ['DASHBOARD_BUILD_SECONDS', ['0'], /an integer from 10/],
    ['DASHBOARD_BUILD_MEMORY_MB', ['100'], /an integer from 512/],
    ['DASHBOARD_PREVIEW_DAYS', ['0', '4000', '1.5'], /an integer from 1 to 3650/],
    ['DASHBOARD_SIGN_UP', ['closed', 'Open'], /one of invitation, open/],
    ['DASHBOARD_LOG_LEVEL', ['loud'], /one of fatal/],
    ['DASHBOARD_WEBHOOK_PRIVATE_ADDRESSES', ['yes', 'true'], /one of refuse, allow/],
    ['DASHBOARD_REHEARSAL_HTTPS_PORT', ['0', '65536', 'https'], /an integer from 1 to 65535/],
    ['DASHBOARD_REQUEST_PROXY', ['on', 'true'], /one of refuse, allow/],
    [
      'DASHBOARD_REQUEST_PROXY_NETWORKS',
      ['10.0.0.0/33', 'internal', '::1/129'],
      /IP addresses or blocks/,
    ],
    ['DASHBOARD_PLATFORM_HOST', ['a b', 'docs.example.com:80', 'https://x', '-a.b'], /a host name/],
    [
      'DASHBOARD_PUBLIC_URL',
      ['x', 'https://a.b/c', 'ftp://a.b', 'https://u@a.b'],
      /an http or https/,
    ],
    ['EDGE_PUBLIC_URL', ['https://a.b?c'], /an http or https address without a path/],
    ['DASHBOARD_TRUSTED_PROXIES', ['x', '10.0.0.0/33', '10.0.0.1,x', '::1/129'], /IP addresses or/],
  ];
  for (const [variable, values, wanted] of table) {
    for (const value of values) {
      assert.throws(
        () => readConfig({ [variable]: value }),
        (error: Error) =>
          error instanceof UserError &&
          error.message.startsWith(`${variable} must be `) &&
          wanted.test(error.message) &&
          error.message.endsWith(`got ${JSON.stringify(value)}.`),
        `${variable}=${value}`,
      );
    }
  }
  const { trustedProxies } = readConfig({ DASHBOARD_TRUSTED_PROXIES: ' 10.0.0.0/8, ::1 ,' });
  assert.deepEqual(trustedProxies, ['10.0.0.0/8', '::1']);
});

test('addresses are those by which browsers come', () => {
  const ports = { dashboard: 8081, edge: 8082, edgeHttps: 8443 };
  const at = (env: Record<string, string>) => addressesOf(readConfig(env), ports);
  const local = at({});
  assert.equal(local.dashboard, 'http://127.0.0.1:8081');
  assert.equal(local.site('pets'), 'http://pets.docs.localhost:8082');
  assert.equal(local.preview('pets', 'abc'), 'http://pets--abc.docs.localhost:8082');
  assert.equal(local.domain('docs.example.com'), 'https://docs.example.com:8443');
  assert.equal(local.domainWithoutTls('docs.example.com'), 'http://docs.example.com:8082');
  const behind = at({ EDGE_PUBLIC_URL: 'https://docs.example.com' });
  assert.equal(behind.domain('docs.example.com'), 'https://docs.example.com');
  const mapped = at({ EDGE_HTTPS_PUBLIC_PORT: '443' });
  assert.equal(mapped.domain('docs.example.com'), 'https://docs.example.com');
  assert.equal(at({ DASHBOARD_HOST: '0.0.0.0' }).dashboard, 'http://127.0.0.1:8081');
  assert.equal(at({ DASHBOARD_HOST: '::1' }).dashboard, 'http://[::1]:8081');
  const online = at({
    DASHBOARD_PUBLIC_URL: 'https://Dashboard.example.com:443/',
    DASHBOARD_PLATFORM_HOST: 'docs.example.com',
    EDGE_PUBLIC_URL: 'https://docs.example.com',
  });
  assert.equal(online.dashboard, 'https://dashboard.example.com');
  assert.equal(online.site('pets'), 'https://pets.docs.example.com');
});

test('name servers have their port, 53 where none is named', () => {
  const proxied = readConfig({ DASHBOARD_REQUEST_PROXY_NETWORKS: '10.0.0.0/8, ::1' });
  assert.deepEqual(proxied.requestProxyNetworks, ['10.0.0.0/8', '::1']);
  const { dnsServers } = readConfig({ DNS_SERVERS: '192.0.2.53, 127.0.0.1:5353,::1, [::1]:5353' });
  assert.deepEqual(dnsServers, ['192.0.2.53:53', '127.0.0.1:5353', '[::1]:53', '[::1]:5353']);
});

test('a receiver of the audit log has a transport, a host, and the port of its standard', () => {
  const read = (AUDIT_SYSLOG_URL: string) => readConfig({ AUDIT_SYSLOG_URL }).auditSyslog;
  const caFile = undefined;
  assert.deepEqual(read('tls://logs.example.com'), {
    ...{ transport: 'tls', host: 'logs.example.com', port: 6514, caFile },
  });
  assert.deepEqual(read('udp://[::1]'), { transport: 'udp', host: '::1', port: 514, caFile });
  assert.deepEqual(read('tcp://10.0.0.1:1601/'), {
    ...{ transport: 'tcp', host: '10.0.0.1', port: 1601, caFile },
  });
  for (const wrong of [
    'logs:601',
    'http://logs',
    'tcp://',
    'tcp://logs:0',
    'tcp://logs:70000',
    'tcp://a b',
  ])
    assert.throws(() => read(wrong), /AUDIT_SYSLOG_URL must be the address of a syslog receiver/);
  assert.throws(() => readConfig({ AUDIT_SYSLOG_CA_FILE: 'x.pem' }), /needs AUDIT_SYSLOG_URL/);
});

test('what may be a secret is not shown', () => {
  const wrong: Record<string, string>[] = [
    { DASHBOARD_SECRET_KEY: 'hunter2' },
    { SMTP_URL: 'http://user:hunter2@mail', SMTP_FROM: 'docs@example.com' },
  ];
  for (const env of wrong) {
    assert.throws(
      () => readConfig(env),
      (error: Error) => error instanceof UserError && !error.message.includes('hunter2'),
    );
  }
  const key = Buffer.alloc(32, 7);
  const { secretKey } = readConfig({ DASHBOARD_SECRET_KEY: key.toString('base64') });
  assert.deepEqual(secretKey, key);
});

test('behind a public address browsers come to the port of https, unless it is said otherwise', () => {
  const portOf = (env: Record<string, string>) => readConfig(env).edge.httpsPublicPort;
  assert.equal(portOf({}), undefined);
  assert.equal(portOf({ EDGE_PUBLIC_URL: 'https://docs.example.com' }), 443);
  assert.equal(portOf({ EDGE_HTTPS_PUBLIC_PORT: '4443' }), 4443);
});

const TWO = 'https://a.test/directory, https://b.test/directory';

test('the variables of several authorities are in the order of their directories', () => {
  const { acme } = readConfig({
    ACME_DIRECTORY_URL: TWO,
    ACME_EAB_KID: ',kid-b',
    ACME_EAB_HMAC_KEY: ' , bWFjLWtleS1vZi1i',
    ACME_PROFILE: 'tlsserver',
    ACME_CAA_IDENTITIES: ';b.test, also-b.test',
    ACME_CHALLENGES: 'http-01',
    ACME_ORDERS_PER_3_HOURS: ',unlimited',
  });
  const challenges = ['http-01'];
  assert.deepEqual(acme.authorities, [
    {
      ...{ directoryUrl: 'https://a.test/directory', eab: undefined, profile: 'tlsserver' },
      ...{ caaIdentities: [], challenges, ordersPer3Hours: 300 },
    },
    {
      directoryUrl: 'https://b.test/directory',
      eab: { kid: 'kid-b', hmacKey: 'bWFjLWtleS1vZi1i' },
      ...{ profile: undefined, caaIdentities: ['b.test', 'also-b.test'], challenges },
      ordersPer3Hours: undefined,
    },
  ]);
  const each = readConfig({ ACME_DIRECTORY_URL: TWO, ACME_CHALLENGES: 'http-01;tls-alpn-01' });
  assert.deepEqual(
    each.acme.authorities.map((one) => one.challenges),
    [['http-01'], ['tls-alpn-01']],
  );
});

test('variables of authorities that do not fit together are refused, and no key is shown', () => {
  const secret = 'c2VjcmV0LW1hYy1rZXk';
  const cases: [Record<string, string>, RegExp][] = [
    [{ ACME_DIRECTORY_URL: 'https://a.test/x,https://a.test/x' }, /directories that differ/],
    [{ ACME_EAB_KID: 'a,b' }, /^ACME_EAB_KID has 2 entries separated by ",", .* names 1/],
    [{ ACME_CHALLENGES: 'http-01;http-01' }, /^ACME_CHALLENGES has 2 entries separated by ";"/],
    [{ ACME_EAB_KID: 'a' }, /^ACME_EAB_KID has .* and ACME_EAB_HMAC_KEY has none/],
    [{ ACME_EAB_HMAC_KEY: secret }, /^ACME_EAB_HMAC_KEY has .* and ACME_EAB_KID has none/],
    [{ ACME_EAB_KID: 'a', ACME_EAB_HMAC_KEY: `${secret}=` }, /in base64url/],
    [{ ACME_DIRECTORY_URL: TWO, ACME_EAB_KID: 'a', ACME_EAB_HMAC_KEY: `,${secret}` }, /same place/],
    [
      { ACME_CHALLENGES: 'dns-persist-01' },
      /dns-persist-01, which no authority offers in production/,
    ],
    [{ ACME_CHALLENGES: 'http-01,dns-account-01' }, /no authority offers in production yet/],
  ];
  for (const [env, words] of cases) {
    assert.throws(
      () => readConfig(env),
      (error) => {
        assert.ok(error instanceof UserError);
        assert.match(error.message, words);
        return !error.message.includes(secret);
      },
    );
  }
});
