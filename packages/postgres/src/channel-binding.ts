import type { EventEmitter } from 'node:events';
import { TLSSocket } from 'node:tls';
import type { Client } from 'pg';
import { ConnectionLostError } from './errors.ts';

/** The SASL mechanism that binds a login to the TLS connection: RFC 5802 and RFC 5929. */
const WITH_BINDING = 'SCRAM-SHA-256-PLUS';

/** The members used of the driver's own connection; its types do not have them. */
interface Wire extends EventEmitter {
  readonly stream: { destroy(): void };
}

/**
 * Makes a client that is not connected yet refuse every login without channel binding. An attacker in the middle, even
 * with a trusted certificate, can neither relay such a login nor avoid it. The driver prefers such a login but accepts
 * any, so this code reads the server's request before the driver does.
 */
export function requireChannelBinding(client: Client): void {
  const { connection } = client as unknown as { connection: Wire };
  let isBound = false;
  const refuse = () => {
    const error = new ConnectionLostError(
      'NO_CHANNEL_BINDING',
      'the server does not bind the login to the secure connection, as channel_binding=require asks for',
    );
    // The driver's next message, which may have a password, is lost with the socket.
    connection.stream.destroy();
    connection.emit('error', error);
  };
  connection
    .on('authenticationCleartextPassword', refuse)
    .on('authenticationMD5Password', refuse)
    .on('authenticationSASL', ({ mechanisms }: { mechanisms: readonly string[] }) => {
      if (!(connection.stream instanceof TLSSocket) || !mechanisms.includes(WITH_BINDING)) refuse();
    })
    // The server's proof that it knows the password, too, on the same connection. The driver verifies it.
    .on('authenticationSASLFinal', () => {
      isBound = true;
    })
    // A server that asks for no login proves nothing.
    .on('authenticationOk', () => {
      if (!isBound) refuse();
    });
}
