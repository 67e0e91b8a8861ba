import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';

// A receiver of webhooks that only counts, in a process of its own. Real ones are on other machines, so it gives way.

setPriority(10);

let count = 0;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    count++;
    response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);
process.on('message', () => process.send?.({ count }));
