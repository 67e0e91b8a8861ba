import { setTimeout as sleep } from 'node:timers/promises';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import type { Visitor } from './installation.ts';

/** An OpenAPI document as a file that a browser uploads; its title tells one from another. */
export function openApiFile(title: string, name = 'openapi.json') {
  return { name, mimeType: 'application/json', buffer: Buffer.from(openApiText(title)) };
}

function openApiText(title: string): string {
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title, version: '1.0.0' },
    servers: [{ url: 'https://api.example.com/v1' }],
    paths: {
      '/pets': {
        get: {
          operationId: 'listPets',
          summary: 'List pets',
          responses: { 200: { description: 'The pets.' } },
        },
      },
    },
  });
}

/** A document with one thing wrong, at `/paths/~1pets/get/parameters/0/in` in line 10. */
export const BROKEN_DOCUMENT = `openapi: 3.1.0
info:
  title: Broken
  version: 1.0.0
paths:
  /pets:
    get:
      parameters:
        - name: limit
          in: nowhere
      responses:
        '200':
          description: The pets.
`;

/** Deploys a document of this title, or this text, and waits until it has come to its end. */
export async function deploy(
  { call }: Visitor,
  slug: string,
  what: string,
  query = '',
): Promise<Deploy> {
  const queued = await call<Deploy>(
    'POST',
    `/projects/${slug}/deploys${query}`,
    Buffer.from(what.includes('\n') ? what : openApiText(what)),
  );
  for (;;) {
    const current = await call<Deploy>('GET', `/projects/${slug}/deploys/${queued.id}`);
    if (current.state === 'succeeded' || current.state === 'failed') return current;
    await sleep(50);
  }
}
