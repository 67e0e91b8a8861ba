import { hash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type ServerResponse } from '@petstore/http/node-http.ts';
import { explainListenError } from '@petstore/service/listen.ts';
import type { Log } from '@petstore/service/log.ts';
import type { Config } from '../config.ts';
import type { Readiness } from './readiness.ts';

/** What the metrics are written with: prom-client is loaded when somebody asks for them. */
export interface MetricsText {
  readonly contentType: string;
  write(): Promise<string>;
}

export interface OperatorServer {
  readonly port: number;
  close(): Promise<void>;
}

interface Options {
  readonly readiness: Readiness;
  readonly metrics: () => Promise<MetricsText>;
  readonly log: Log;
}

/** The checks behind each path; undefined: all. */
const READY: Readonly<Record<string, string | undefined>> = {
  '/readyz': undefined,
  // An edge goes on from memory while its database is unavailable.
  '/readyz/edge': 'edge',
};

/**
 * Listens on the operator's port: `/metrics`, `/livez` and `/readyz`. It is the first to start and the last to end, so
 * that it tells of both. Rejects with UserError where it cannot listen.
 */
export async function startOperatorServer(
  { host, port, token }: NonNullable<Config['operator']>,
  { readiness, metrics, log }: Options,
): Promise<OperatorServer> {
  const isAllowed = bearerCheck(token);
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request;
    const path = url.split('?')[0] ?? '';
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return sendText(response, 405, 'This port answers GET and HEAD.');
    }
    if (path === '/livez') return sendJson(response, 200, { status: 'ok' });
    if (path in READY) {
      const report = await readiness.report(READY[path]);
      return sendJson(response, report.status === 'ok' ? 200 : 503, report);
    }
    if (path !== '/metrics') {
      return sendText(
        response,
        404,
        'Not found. This port serves /metrics, /livez, /readyz and /readyz/edge.',
      );
    }
    if (!isAllowed(headers.authorization ?? '')) {
      response.setHeader('www-authenticate', 'Bearer');
      return sendText(response, 401, 'Send Authorization: Bearer <DASHBOARD_METRICS_TOKEN>.');
    }
    const { contentType, write } = await metrics();
    return send(response, 200, contentType, await write());
  };
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    answer(request, response).catch((error) => {
      log.error({ err: error }, "a request on the operator's port failed");
      if (response.headersSent) response.destroy();
      else sendText(response, 500, 'The request failed. See the log for the cause.');
    });
  });
  server.listen({ host, port });
  await once(server, 'listening').catch((error) => {
    const where = { host, port, hostVariable: HOST_VARIABLE, portVariable: PORT_VARIABLE };
    throw explainListenError(error, where);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const HOST_VARIABLE = 'DASHBOARD_METRICS_HOST';
const PORT_VARIABLE = 'DASHBOARD_METRICS_PORT';

/** Digests have the same length, and comparing them takes the same time, whatever they are. */
function bearerCheck(token: string | undefined): (authorization: string) => boolean {
  if (token === undefined) return () => true;
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = digest(`Bearer ${token}`);
  return (authorization) => timingSafeEqual(digest(authorization), expected);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

function sendText(response: ServerResponse, status: number, text: string): void {
  send(response, status, 'text/plain; charset=utf-8', `${text}\n`);
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response
    .writeHead(status, {
      'content-type': type,
      'cache-control': 'no-store',
      'content-length': Buffer.byteLength(body),
    })
    .end(body);
}
