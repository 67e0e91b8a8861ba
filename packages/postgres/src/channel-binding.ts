import type { EventEmitter } from 'node:events';
import { TLSSocket } from 'node:tls';
import type { Client } from 'pg';
import { ConnectionLostError } from './errors.ts';

/** The SASL mechanism that binds a login to the TLS connection: RFC 5802 and RFC 5929. */
const WITH_BINDING = 'SCRAM-SHA-256-PLUS';

/** What of the driver's own connection is used; its types do not name it. */
interface Wire extends EventEmitter {
  readonly stream: { destroy(): void };
}

/**
 * Makes a client, which is not connected yet, refuse every login but one with channel binding: one in the middle, who
 * has a certificate that is believed, can neither pass it on nor do without it. The driver prefers such a login and
 * takes any other; so this hears before it what the server asks for.
 */
export function requireChannelBinding(client: Client): void {
  const { connection } = client as unknown as { connection: Wire };
  let isBound = false;
  const refuse = () => {
    const error = new ConnectionLostError(
      'NO_CHANNEL_BINDING',
      'the server does not bind the login to the secure connection, as channel_binding=require asks for',
    );
    // What the driver would send now, a password among it, is lost with the socket.
    connection.stream.destroy();
    connection.emit('error', error);
  };
  connection
    .on('authenticationCleartextPassword', refuse)
    .on('authenticationMD5Password', refuse)
    .on('authenticationSASL', ({ mechanisms }: { mechanisms: readonly string[] }) => {
      if (!(connection.stream instanceof TLSSocket) || !mechanisms.includes(WITH_BINDING)) refuse();
    })
    // The server's proof that it knows the password, too, and of the same connection; the driver checks it.
    .on('authenticationSASLFinal', () => {
      isBound = true;
    })
    // A server that asks for nothing proves nothing.
    .on('authenticationOk', () => {
      if (!isBound) refuse();
    });
}
