import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPublicAddress } from '@petstore/http/networks.ts';
import { startNameServer } from '../support/name-server.ts';
import { prepareDelivery, until } from './support/delivery.ts';
import { startReceiver, status } from './support/receiver.ts';

test('addresses that are not of the internet are told from those that are', () => {
  const refused = [
    ...['0.0.0.0', '10.0.0.1', '10.255.255.255', '100.64.0.1', '127.0.0.1', '127.255.0.1'],
    ...['168.63.129.16', '169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.192'],
    ...['192.0.2.1', '192.168.1.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
    ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '100.100.100.200'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:a9fe:a9fe', '::7f00:1'],
    ...['64:ff9b::7f00:1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1'],
    ...['2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '4000::1', '100::1'],
  ];
  for (const address of refused) assert.equal(isPublicAddress(address), false, address);
  const allowed = [
    ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'],
    ...['172.15.255.255', '172.32.0.0', '169.253.255.255', '192.167.255.255', '223.255.255.255'],
    ...['2606:4700:4700::1111', '2a00:1450:4001::200e', '2001:4860:4860::8888'],
  ];
  for (const address of allowed) assert.equal(isPublicAddress(address), true, address);
});

test('no webhook reaches this machine or its network, however its URL says so', async (t) => {
  const receiver = await startReceiver(t);
  const { port } = new URL(receiver.url);
  const server = await startNameServer(t, {
    'inside.example.com': ['127.0.0.1'],
    'inside6.example.com': ['::1', '::ffff:127.0.0.1'],
    'cloud.example.com': ['169.254.169.254', '10.1.2.3'],
    'empty.example.com': [],
  });
  const delivery = await prepareDelivery(t, {
    webhookPrivateAddresses: 'refuse',
    dnsServers: [server],
  });
  const rows: [host: string, error: RegExp][] = [
    ['127.0.0.1', /^127\.0\.0\.1 is not an address of the internet\.$/],
    ['[::1]', /^::1 is not/],
    ['[::ffff:127.0.0.1]', /is not an address/],
    ['2130706433', /^127\.0\.0\.1 is not/],
    ['0x7f.1', /^127\.0\.0\.1 is not/],
    ['017700000001', /^127\.0\.0\.1 is not/],
    ['127.1', /^127\.0\.0\.1 is not/],
    ['0', /^0\.0\.0\.0 is not/],
    ['127.0.0.1.', /is not an address/],
    ['①②⑦.0.0.1', /^127\.0\.0\.1 is not/],
    ['169.254.169.254', /is not an address/],
    ['10.0.0.1', /is not an address/],
    ['localhost', /^localhost leads to 127\.0\.0\.1, which is not/],
    ['localhost.', /^localhost leads to/],
    ['any.localhost', /^any\.localhost leads to/],
    ['inside.example.com', /^inside\.example\.com leads to 127\.0\.0\.1, which is not/],
    ['inside6.example.com', /^inside6\.example\.com leads to ::1, which is not/],
    ['cloud.example.com', /leads to 169\.254\.169\.254, which is not/],
    ['empty.example.com', /^The name empty\.example\.com has no address\.$/],
    ['none.example.com', /^The name none\.example\.com has no address\.$/],
  ];
  // Stored behind the back of what reads URLs, which refuses most of these.
  for (const [index, [host]] of rows.entries()) {
    await delivery.addWebhook(`http://${host}:${port}/`, { id: `whk_${index}` });
  }
  await delivery.tell();
  delivery.start();
  await until(
    async () => (await delivery.notices()).every(({ last_error }) => last_error !== null),
    'all were tried',
  );
  for (const [index, [host, error]] of rows.entries()) {
    const { last_delivery } = await delivery.webhook(`whk_${index}`);
    assert.match(JSON.parse(last_delivery ?? '').error, error, host);
  }
  assert.equal(receiver.received.length, 0);
});

test('a name is looked up once, where the configuration says, and a redirect into this machine is not followed', async (t) => {
  const inside = await startReceiver(t);
  const receiver = await startReceiver(t);
  receiver.answer = status(307, { location: inside.url });
  const names: Record<string, string[]> = { 'hooks.example.com': ['127.0.0.1'] };
  const dnsServers = [await startNameServer(t, names)];
  const delivery = await prepareDelivery(t, { dnsServers });
  const id = await delivery.addWebhook(receiver.url.replace('127.0.0.1', 'hooks.example.com'));
  await delivery.tell();
  delivery.start();
  await until(async () => (await delivery.webhook(id)).last_delivery !== null, 'tried');
  const { error } = JSON.parse((await delivery.webhook(id)).last_delivery ?? '');
  assert.equal(error, 'The receiver responded with 307. Redirects are not followed.');
  assert.match(receiver.received[0]?.headers.host ?? '', /^hooks\.example\.com:\d+$/);
  assert.equal(inside.received.length, 0);
});
