// Makes TLS connections, one after another on each of several ways, and closes each after its handshake.
// BENCH_PORT; BENCH_COUNT: how many; BENCH_HOSTS: the numbers of hosts, `first 10`, `spread 1000` or `any 100000`.
import { once } from 'node:events';
import { connect } from 'node:tls';
import { tlsHostName } from './edge-data.ts';

const WAYS = 8;
/** In which numbers the hosts in use lie among all. */
const SPREAD = 100;

const { BENCH_PORT = '', BENCH_COUNT = '', BENCH_HOSTS = '' } = process.env;
const [choice, hosts] = BENCH_HOSTS.split(' ');
let left = Number(BENCH_COUNT);
let made = 0;

function hostAt(at: number): number {
  if (choice === 'any') return Math.floor(Math.random() * Number(hosts));
  return (at % Number(hosts)) * (choice === 'spread' ? SPREAD : 1);
}

await Promise.all(
  Array.from({ length: WAYS }, async () => {
    while (left > 0) {
      const servername = tlsHostName(hostAt(--left));
      const options = { port: Number(BENCH_PORT), host: '127.0.0.1', servername };
      // The certificate is the same for all, so its name is not checked; nothing is resumed.
      const socket = connect({ ...options, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      socket.destroy();
      made++;
    }
  }),
);
process.stdout.write(`${made}\n`);
