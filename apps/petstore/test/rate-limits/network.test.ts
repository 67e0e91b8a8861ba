import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientNetwork } from '@petstore/http/networks.ts';

test('the network of an IPv4 address is itself, however a socket or a proxy writes it', () => {
  for (const same of [
    '192.0.2.1',
    '192.0.2.1:4711',
    '::ffff:192.0.2.1',
    '::FFFF:192.0.2.1:80',
    '::ffff:c000:201',
  ]) {
    assert.equal(clientNetwork(same), '192.0.2.1', same);
  }
  assert.equal(clientNetwork('192.0.2.2'), '192.0.2.2');
});

test('the network of an IPv6 address is its first 64 bits, however it is spelled', () => {
  const networks: Record<string, string[]> = {
    '2001:db8:0:1::/64': [
      '2001:db8:0:1::',
      '2001:db8:0:1::9',
      '2001:DB8:0000:0001:ffff:ffff:ffff:ffff',
      '2001:db8::1:0:0:192.0.2.1',
      '2001:db8:0:1:2:3:4:5%eth0',
    ],
    '0:0:0:0::/64': ['::', '::1', '::5:6:7:8', '::6:7:192.0.2.1'],
    '0:0:0:4::/64': ['::4:5:6:7:8', '0:0:0:4::', '::4:5:6:192.0.2.1'],
    '1:2:3:4::/64': ['1:2:3:4:5:6:7::', '1:2:3:4::8', '1:2:3:4:5:6:192.0.2.1'],
    '1:0:3:4::/64': ['1::3:4:5:6:7:8'],
    'fe80:0:0:0::/64': ['fe80::1%eth0', 'fe80::1%eth0.100'],
    'fe80:2:3:0::/64': ['fe80:2:3::4:5:6:7%eth0.100'],
  };
  for (const [network, addresses] of Object.entries(networks)) {
    for (const address of addresses) assert.equal(clientNetwork(address), network, address);
  }
});

test('anything but an address counts as one network', () => {
  const none = ['unknown', '', '192.0.2', '192.0.2.256', 'x192.0.2.1', '192.0.2.1x', '1:2:3', '_a'];
  for (const text of none) assert.equal(clientNetwork(text), 'unknown', text);
});
