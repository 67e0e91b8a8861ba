import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';

/** A span as OTLP has it in JSON, its attributes by name. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly name: string;
  readonly kind: number;
  /** 2 is an error. */
  readonly status: { code?: number };
  readonly attributes: Record<string, string | number>;
  /** Of the process that it comes from. */
  readonly resource: Record<string, string | number>;
}

interface Attribute {
  readonly key: string;
  readonly value: { stringValue?: string; intValue?: number };
}

interface Export {
  readonly resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<CollectedSpan, 'attributes'> & { attributes: Attribute[] })[] }[];
  }[];
}

/** A collector of traces on loopback: takes OTLP over HTTP in JSON. */
export async function startCollector(t: TestContext) {
  const spans: CollectedSpan[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/traces') {
      response.writeHead(404).end();
      return;
    }
    // A sender may end in the midst of its request.
    const sent = (await json(request).catch(() => undefined)) as Export | undefined;
    if (!sent) return;
    const { resourceSpans } = sent;
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        const attributes = byName(span.attributes);
        spans.push({ ...span, attributes, resource: byName(resource.attributes) });
      }
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** Spans that fulfil a condition, once there are so many. */
    async collected(count: number, is: (span: CollectedSpan) => boolean): Promise<CollectedSpan[]> {
      const deadline = Date.now() + 60_000;
      for (;;) {
        const found = spans.filter(is);
        if (found.length >= count) return found;
        if (Date.now() > deadline) throw new Error(`spans: ${JSON.stringify(spans)}`);
        await sleep(20);
      }
    },
  };
}

function byName(attributes: readonly Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}
