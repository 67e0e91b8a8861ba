import type { RecordedDelivery } from '../recorded-request.ts';
import { type Evidence, findingOf, type Rule } from '../rule.ts';

const SPECIFICATION =
  'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md';

const ADVICE = 'Make an endpoint and let events come to it: start the challenge webhooks.';

/** Deliveries are no requests of the client, so they have no numbers: the sentence names the event. */
function piece(seen: string, expected: string): Evidence {
  return { requests: [], seen, expected };
}

export const webhooksVerified: Rule = {
  code: 'webhooks_verified',
  title: 'The endpoint refuses a delivery with a wrong signature.',
  standard: { title: 'Standard Webhooks, Verifying webhook authenticity', url: SPECIFICATION },
  advice: ADVICE,
  judge({ deliveries }) {
    const expected =
      'Verify webhook-signature over id, timestamp and body, and answer 400 or 401 where it is wrong.';
    const answered = deliveries.filter(({ isForged, status }) => isForged && status !== undefined);
    // An endpoint that refuses the right ones as well has not looked at the signature.
    const open = new Set(
      deliveries.filter((one) => !one.isForged && isTaken(one)).map(({ endpoint }) => endpoint),
    );
    const told = (delivery: RecordedDelivery) =>
      piece(`The forged event ${delivery.eventId} got ${delivery.status}.`, expected);
    return findingOf(
      answered.filter(isTaken).map(told),
      answered
        .filter(({ endpoint, status = 0 }) => open.has(endpoint) && status >= 400 && status < 500)
        .map(told),
    );
  },
};

export const webhooksAnsweredInTime: Rule = {
  code: 'webhooks_answered_in_time',
  title: 'The endpoint answers each delivery within its time.',
  standard: { title: 'Standard Webhooks, Operational considerations', url: SPECIFICATION },
  advice: ADVICE,
  judge({ deliveries }) {
    const expected = 'Answer first and work afterwards: put the event into a queue of your own.';
    const right = deliveries.filter(({ isForged }) => !isForged);
    return findingOf(
      right
        .filter(({ timedOut }) => timedOut)
        .map(({ eventId }) => piece(`The event ${eventId} got no answer in time.`, expected)),
      right
        .filter(isTaken)
        .map(({ eventId, durationMs }) =>
          piece(`The event ${eventId} was answered in ${Math.round(durationMs)} ms.`, expected),
        ),
    );
  },
};

export const webhooksTakenTwice: Rule = {
  code: 'webhooks_taken_twice',
  title: 'An event that comes twice is taken twice and done once.',
  standard: { title: 'Standard Webhooks, Idempotency', url: SPECIFICATION },
  advice: ADVICE,
  judge({ deliveries }) {
    const expected = 'Remember the ids of events, and answer 2xx to one that you know.';
    const broken: Evidence[] = [];
    const kept: Evidence[] = [];
    const taken = new Set<string>();
    for (const delivery of deliveries) {
      if (delivery.isForged) continue;
      const name = `${delivery.endpoint} ${delivery.eventId}`;
      if (taken.has(name) && isTaken(delivery)) {
        kept.push(piece(`The event ${delivery.eventId} was taken again.`, expected));
      } else if (taken.has(name) && delivery.status !== undefined) {
        const seen = `The event ${delivery.eventId} had been taken, and got ${delivery.status} when it came again.`;
        broken.push(piece(seen, expected));
      }
      if (isTaken(delivery)) taken.add(name);
    }
    return findingOf(broken, kept);
  },
};

function isTaken({ status = 0 }: RecordedDelivery): boolean {
  return status >= 200 && status < 300;
}
