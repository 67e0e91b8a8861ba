import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { makeWebhookSecret, signatureHeaders } from '../src/signature.ts';

test('the example of the specification has its signature', () => {
  const secret = 'whsec_plJ3nmyCDGBKInavdOK15jsl';
  const message = {
    id: 'msg_loFOjxBNrRLzqYUf',
    at: 1_731_705_121_000,
    body: '{"event_type":"ping","data":{"success":true}}',
  };
  assert.deepEqual(signatureHeaders(secret, message), {
    'webhook-id': 'msg_loFOjxBNrRLzqYUf',
    'webhook-timestamp': '1731705121',
    'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  });
});

test('each secret is another one, and its signatures are genuine for no other and for no other body', () => {
  const [secret, other] = [makeWebhookSecret(), makeWebhookSecret()];
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.notEqual(secret, other);
  const body = JSON.stringify({ type: 'greeting', data: 'Grüße, 世界' });
  const headers = signatureHeaders(secret, { id: 'msg_1', at: Date.now(), body });
  assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
  const refused = /No matching signature/;
  assert.throws(() => new Webhook(other).verify(body, headers), refused);
  assert.throws(() => new Webhook(secret).verify(`${body} `, headers), refused);
  const renamed = { ...headers, 'webhook-id': 'msg_2' };
  assert.throws(() => new Webhook(secret).verify(body, renamed), refused);
});
