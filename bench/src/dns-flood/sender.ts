import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';

// Sends queries for random names below a zone, so many a second, until it is ended: node sender.ts PORT ZONE RATE

const [port = '', zone = '', rate = ''] = process.argv.slice(2);
/** How often it sends, in milliseconds. */
const TICK_MS = 5;
const perTick = (Number(rate) * TICK_MS) / 1_000;

const label = (text: string) => Buffer.concat([Buffer.of(text.length), Buffer.from(text)]);
/** One question (RFC 1035, section 4.1), for TXT. */
const HEAD = Buffer.from([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
const TAIL = Buffer.concat([...zone.split('.').map(label), Buffer.from([0, 0, 16, 0, 1])]);

const socket = createSocket('udp4');
// A closed port is told to a socket that is connected.
socket.on('error', () => undefined);
let owed = 0;
setInterval(() => {
  owed += perTick;
  for (; owed >= 1; owed--) {
    const query = Buffer.concat([HEAD, label(randomBytes(4).toString('hex')), TAIL]);
    socket.send(query, Number(port), '127.0.0.1', () => undefined);
  }
}, TICK_MS);
