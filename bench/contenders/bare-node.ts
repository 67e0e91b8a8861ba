// The limit: what Node's own HTTP server can do when it computes nothing. Answers have the size of
// the service's; a body is read to its end, since no server can store what it did not read.
import { createServer } from 'node:http';
import { constants } from './constants.ts';
import { settings } from './settings.ts';

const { page, pet } = constants(settings.data);
const headers = (body: string) => ({
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(body),
});
const pageHeaders = headers(page);
const petHeaders = headers(pet);

createServer((request, response) => {
  if (request.method === 'POST') {
    request.resume().on('end', () => response.writeHead(201, petHeaders).end(pet));
  } else if (request.url?.startsWith('/v1/pets/')) {
    response.writeHead(200, petHeaders).end(pet);
  } else {
    response.writeHead(200, pageHeaders).end(page);
  }
}).listen(settings.port, '127.0.0.1');
