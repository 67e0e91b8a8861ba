// What the services use of Node's module for HTTP. `import … from 'node:http'` reads each of the module's exports,
// `WebSocket` among them, for which Node loads all of its fetch: 70 ms of CPU at each start, and the memory for as long
// as the process runs. Types are imported as ever.

export const {
  createServer,
  METHODS,
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} = process.getBuiltinModule('node:http');
