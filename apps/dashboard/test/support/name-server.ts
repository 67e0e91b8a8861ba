import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { decode, encode } from 'dns-packet';

/**
 * The addresses of a name, or what gives them: from then on, those of its next answer. `id`: of the question, which a
 * client sends again when it has waited for long.
 */
export type Addresses =
  | readonly string[]
  | ((type: 'A' | 'AAAA', id: number | undefined) => readonly string[]);

/** A name server that gives each of these names its addresses; `ip:port`. */
export async function startNameServer(
  t: TestContext,
  names: Record<string, Addresses>,
): Promise<string> {
  const socket = createSocket('udp4');
  cleanUp(t, () => socket.close());
  socket.on('message', (message, { port, address }) => {
    const { id, questions = [] } = decode(message);
    const [question] = questions;
    const found = names[question?.name ?? ''];
    const type = question?.type === 'AAAA' ? 'AAAA' : 'A';
    const answers = ((typeof found === 'function' ? found(type, id) : found) ?? [])
      .filter((data) => data.includes(':') === (type === 'AAAA'))
      .map((data) => ({ type, name: question?.name ?? '', ttl: 0, data }) as const);
    const flags = 0x80_80 | (found ? 0 : 3);
    socket.send(
      encode({ type: 'response', id: id ?? 0, flags, questions, answers }),
      port,
      address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return `127.0.0.1:${socket.address().port}`;
}
