// What the document shows of webhooks.

export const NOON = '2026-11-21T12:00:00.000Z';

export const exampleWebhook = {
  id: 'wh_0123456789abcdef',
  url: 'https://example.com/hooks',
  events: ['pet.created'],
  state: 'enabled',
  ...{ reason: null, since: null, retryAt: null },
  ...{ createdAt: NOON, lastEventId: '0', oldSecretUntil: null },
};

export const exampleWithSecret = {
  ...exampleWebhook,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
};

export const exampleAttempt = { at: NOON, durationMs: 12, status: 204, error: null };

export const exampleDelivery = {
  ...{ id: '1', type: 'pet.created', state: 'delivered', nextAttemptAt: null },
  attempts: [exampleAttempt],
};
