import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import fc from 'fast-check';
import { newSandbox, startWithSandbox } from '../support/sandbox.ts';
import { isWhole, receive } from '../support/wire.ts';

/** What may happen to an attempt; undefined for nothing. */
const FAULTS = [
  ...['status=503', 'status=503;when=after', 'status=500;when=after', 'status=429;retry-after=0'],
  ...[
    'reset=before',
    'reset=after',
    'cut',
    'cut=0',
    'cut=0.9',
    'duplicate',
    'length=-5',
    'length=5',
  ],
  ...[
    'malformed',
    'malformed=empty',
    'type=none',
    'slow=1ms',
    'latency=3ms',
    'latency=3ms;when=after',
  ],
  undefined,
];

/** What is written of an animal with an Idempotency-Key, and the faults of the attempts in turn. */
const client = fc.array(fc.constantFrom(...FAULTS), { minLength: 1, maxLength: 5 });

onBothEngines('a fault neither loses nor doubles a write with an Idempotency-Key', async (t) => {
  const service = await startWithSandbox(t);
  const attempt = async (key: string, body: string, idempotencyKey: string, fault?: string) => {
    const request =
      `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `Idempotency-Key: ${idempotencyKey}\r\n` +
      `${fault === undefined ? '' : `Petstore-Fault: ${fault}\r\n`}\r\n${body}`;
    // A client with little patience: it goes when the body is there, whatever Content-Length says.
    const isEnough = (text: string) => isWhole(text) || text.endsWith('}');
    const { text } = await receive(service.port, request, isEnough);
    return text.split(/\r\n\r\n|(?<=})HTTP/, 2);
  };
  /** Tries until it has read a 201, with a fault for each attempt, and then without. */
  const create = async (key: string, name: string, faults: readonly (string | undefined)[]) => {
    const body = JSON.stringify({ name, categoryId: 1 });
    for (let tries = 0; tries < 100; tries++) {
      const [head = '', json = ''] = await attempt(key, body, name, faults[tries]);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      if (!head.startsWith('HTTP/1.1 201 ') || length !== json.length) continue;
      try {
        return (JSON.parse(json) as { id: number }).id;
      } catch {
        // The next attempt reads it.
      }
    }
    throw new Error(`${name} has not come through ${faults.join(', ')}`);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(client, { minLength: 1, maxLength: 12 }), async (clients) => {
      const { sandboxKey, inSandbox } = await newSandbox(service, 0);
      const ids = await Promise.all(
        clients.map((faults, at) => create(sandboxKey, `animal-${at}`, faults)),
      );
      const pets = (await (await inSandbox('/pets?limit=100')).json()) as {
        id: number;
        name: string;
      }[];
      assert.deepEqual(
        pets.map(({ id, name }) => [name, id]).sort(),
        ids.map((id, at) => [`animal-${at}`, id]).sort(),
      );
    }),
    { numRuns: 15 },
  );
});
