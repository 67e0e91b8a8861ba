import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { encode } from 'dns-packet';

// Sends queries for random names below a zone, so many a second, until it is ended: node sender.ts PORT ZONE RATE

const [port = '', zone = '', rate = ''] = process.argv.slice(2);
/** How often it sends, in milliseconds. */
const TICK_MS = 5;
const perTick = (Number(rate) * TICK_MS) / 1_000;

const socket = createSocket('udp4');
// A closed port is told to a socket that is connected.
socket.on('error', () => undefined);
let owed = 0;
setInterval(() => {
  owed += perTick;
  for (; owed >= 1; owed--) {
    const questions = [{ name: `${randomBytes(4).toString('hex')}.${zone}`, type: 'TXT' as const }];
    const query = encode({ type: 'query', id: 1, flags: 0, questions });
    socket.send(query, Number(port), '127.0.0.1', () => undefined);
  }
}, TICK_MS);
