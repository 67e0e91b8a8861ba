import { connect } from 'node:net';

/** What a request without a Host gets, from memory: so the probe says nothing of the database. */
const RESPONSE = /^HTTP\/1\.1 400 /;

/** The address at which a server is reached on its own machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Asks an edge for anything, as a client would. Resolves when it responds, and rejects when it does not. */
export function probeEdge(host: string, port: number): Promise<undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, reachable(host));
    const fail = () => {
      socket.destroy();
      reject(new Error('the edge does not respond'));
    };
    socket.setTimeout(2_000, fail);
    socket.on('error', fail).on('close', fail);
    socket.once('data', (bytes) => {
      const isEdge = RESPONSE.test(bytes.toString('latin1'));
      socket.off('close', fail).destroy();
      if (isEdge) resolve(undefined);
      else fail();
    });
    socket.write('GET / HTTP/1.0\r\n\r\n');
  });
}
