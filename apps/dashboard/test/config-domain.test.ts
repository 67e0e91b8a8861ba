import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import type { NetworkInterfaceInfo } from 'node:os';
import { test } from 'node:test';
import { UserError } from '@petstore/service/user-error.ts';
import { banner } from '../server/src/commands/banner.ts';
import { readConfig } from '../server/src/config.ts';
import { readDomain, withDomainDefaults } from '../server/src/config-domain.ts';
import { setUpRecords } from '../server/src/zone/set-up-records.ts';

const DOMAIN = { DASHBOARD_DOMAIN: 'docs.example.com' };

/** A machine with these addresses beside loopback. */
const machine = (...addresses: string[]) => {
  const info = (address: string) => ({ address, internal: false }) as NetworkInterfaceInfo;
  return () => ({
    lo: [{ address: '127.0.0.1', internal: true } as NetworkInterfaceInfo],
    eth0: addresses.map(info),
  });
};

const PUBLIC = machine('8.8.4.4', '2a01:4f8::1', 'fe80::1');

test('a domain sets what the other variables leave open, from the addresses of the machine', () => {
  const env = withDomainDefaults(DOMAIN, PUBLIC);
  assert.deepEqual(env, {
    ...DOMAIN,
    DASHBOARD_PLATFORM_HOST: 'docs.example.com',
    DASHBOARD_PUBLIC_URL: 'https://docs.example.com',
    EDGE_PUBLIC_URL: 'https://docs.example.com',
    EDGE_HTTPS_PUBLIC_PORT: '443',
    EDGE_HOST: '::',
    EDGE_HTTP_PORT: '80',
    EDGE_HTTPS_PORT: '443',
    DNS_ZONE: 'acme.docs.example.com',
    DNS_HOST: '8.8.4.4,2a01:4f8::1',
    DNS_ADDRESSES: '8.8.4.4,2a01:4f8::1',
  });
  const four = withDomainDefaults(DOMAIN, machine('8.8.4.4', '10.0.0.5'));
  assert.equal(four.EDGE_HOST, '0.0.0.0');
  assert.equal(four.DNS_HOST, '8.8.4.4,10.0.0.5');
  assert.equal(four.DNS_ADDRESSES, '8.8.4.4');
});

test('what is set wins', () => {
  const set = {
    ...{ EDGE_HOST: '192.0.2.7', EDGE_HTTP_PORT: '8082', EDGE_HTTPS_PORT: '8443' },
    ...{ DNS_ZONE: 'acme2.example.com', DNS_ADDRESSES: '192.0.2.7', DNS_HOST: '10.0.0.5' },
    ...{ EDGE_HTTPS_PUBLIC_PORT: '8443', DASHBOARD_PUBLIC_URL: 'https://docs.example.com:8443' },
  };
  const env = withDomainDefaults({ ...DOMAIN, ...set }, machine());
  for (const [name, value] of Object.entries(set)) assert.equal(env[name], value);
  assert.equal(env.EDGE_PUBLIC_URL, 'https://docs.example.com:8443');
  const all = withDomainDefaults({ ...DOMAIN, DNS_HOST: '0.0.0.0' }, PUBLIC);
  assert.equal(all.DNS_ADDRESSES, '8.8.4.4,2a01:4f8::1');
});

test('what contradicts a domain is refused by name', () => {
  const refused: [Record<string, string>, RegExp][] = [
    [{ DASHBOARD_PLATFORM_HOST: 'other.example.com' }, /^DASHBOARD_PLATFORM_HOST is "other/],
    [{ DASHBOARD_PUBLIC_URL: 'http://docs.example.com' }, /^DASHBOARD_PUBLIC_URL is .*https:/],
    [{ EDGE_PUBLIC_URL: 'https://docs.example.com:8443' }, /^EDGE_PUBLIC_URL is/],
    [
      { DASHBOARD_DOMAIN: 'https://docs.example.com' },
      /^DASHBOARD_DOMAIN must be a domain name of yours/,
    ],
    [{ DASHBOARD_DOMAIN: '192.0.2.1' }, /^DASHBOARD_DOMAIN must be/],
    [{ DASHBOARD_DOMAIN: 'co.uk' }, /^DASHBOARD_DOMAIN must be/],
    [{ DASHBOARD_DOMAIN: '*.example.com' }, /^DASHBOARD_DOMAIN must be/],
    [{ DASHBOARD_DOMAIN: '', DASHBOARD_PETSTORE: 'api.example.com' }, /needs DASHBOARD_DOMAIN/],
    [{ DASHBOARD_PETSTORE: 'api.docs.example.com' }, /not docs\.example\.com nor directly below/],
    [{ DASHBOARD_PETSTORE: 'docs.example.com' }, /such as api\.example\.com/],
    [{ DASHBOARD_PETSTORE_URL: 'http://127.0.0.1:8080/v1' }, /^DASHBOARD_PETSTORE_URL must be/],
    [{ DASHBOARD_PETSTORE_URL: 'https://127.0.0.1:8080' }, /^DASHBOARD_PETSTORE_URL must be/],
    [{ DASHBOARD_HSTS_SECONDS: 'a year' }, /^DASHBOARD_HSTS_SECONDS must be/],
    [{ DNS_ADDRESSES: '', DNS_HOST: '0.0.0.0' }, /^(Set )?DNS_ADDRESSES/],
  ];
  for (const [variables, message] of refused)
    assert.throws(
      () => {
        const env = { ...DOMAIN, DNS_ADDRESSES: '192.0.2.7', ...variables };
        readDomain(env);
        withDomainDefaults(env, machine('10.0.0.5'));
      },
      (error) => error instanceof UserError && message.test(error.message),
      JSON.stringify(variables),
    );
});

test('without a public address it says which one to name', () => {
  assert.throws(
    () => withDomainDefaults(DOMAIN, machine('10.0.0.5')),
    /^UserError: Set DNS_ADDRESSES .* only 10\.0\.0\.5\.$/,
  );
});

test('the banner has the records to create, and where to go first', () => {
  const config = readConfig({ ...DOMAIN, DNS_ADDRESSES: '192.0.2.7', DNS_HOST: '127.0.0.1' });
  const records = setUpRecords(config);
  const facts = {
    ...{ version: '1', url: 'https://docs.example.com', sites: 'https://{slug}.docs.example.com' },
    ...{ httpsPort: 443, operatorPort: undefined, data: 'here', hasUsers: false },
  };
  const own = { localUrl: 'http://127.0.0.1:8081', api: undefined, records, hasCertificate: false };
  const text = banner({ ...facts, own });
  for (const line of [
    /docs\.example\.com\. +A +192\.0\.2\.7\n/,
    /\*\.docs\.example\.com\. +A +192\.0\.2\.7\n/,
    /ns-acme\.docs\.example\.com\. +A +192\.0\.2\.7\n/,
    / acme\.docs\.example\.com\. +NS +ns-acme\.docs\.example\.com\.\n/,
    /_acme-challenge\.docs\.example\.com\. +CNAME +platform\.acme\.docs\.example\.com\.\n/,
    /http:\/\/127\.0\.0\.1:8081\/sign-up/,
    /ssh -L 8081:127\.0\.0\.1:8081/,
  ])
    assert.match(text, line);
  const certified = { ...own, records: [], hasCertificate: true };
  assert.doesNotMatch(banner({ ...facts, own: certified }), /CNAME/);
  // In a zone that has the name itself nothing but its delegation is to be created.
  const whole = readConfig({
    ...{ ...DOMAIN, DNS_ADDRESSES: '192.0.2.7', DNS_HOST: '127.0.0.1' },
    DNS_ZONE: 'docs.example.com',
  });
  assert.deepEqual(
    setUpRecords(whole).map(({ type, name }) => `${type} ${name}`),
    ['A ns-docs.example.com', 'NS docs.example.com'],
  );
});
