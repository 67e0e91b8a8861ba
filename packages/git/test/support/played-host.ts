import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GitHttpsHost } from '@petstore/test-support/git-hosts/https-host.ts';

/** A packet of git's protocol: its length in four hexadecimal digits, and its content. */
export function packet(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

/** A part of a pack, or of what a host says beside it (2). */
export const band = (number: 1 | 2, content: Buffer): Buffer =>
  packet(Buffer.concat([Buffer.from([number]), content]));

const FLUSH = Buffer.from('0000');
const DELIMITER = Buffer.from('0001');

/** The commit of the one branch, which is never there. */
const HASH = '1234567890123456789012345678901234567890';

/**
 * Has a host speak git's protocol (version 2) by itself: there is a branch `main`, and what comes in place of its pack is
 * sent until the connection ends.
 */
export function playHost(
  host: GitHttpsHost,
  send: (response: ServerResponse) => AsyncIterable<Buffer>,
): void {
  host.answer = (request, response) => {
    void play(request, response, send).catch(() => response.destroy());
    return true;
  };
}

async function play(
  request: IncomingMessage,
  response: ServerResponse,
  send: (response: ServerResponse) => AsyncIterable<Buffer>,
): Promise<void> {
  if (request.method === 'GET') {
    const capabilities = ['version 2', 'ls-refs=unborn', 'fetch=shallow', 'object-format=sha1'];
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    response.write(Buffer.concat([packet('# service=git-upload-pack\n'), FLUSH]));
    response.end(Buffer.concat([...capabilities.map((line) => packet(`${line}\n`)), FLUSH]));
    return;
  }
  const body = Buffer.concat(await Array.fromAsync(request)).toString('latin1');
  response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
  if (body.includes('command=ls-refs')) {
    response.end(Buffer.concat([packet(`${HASH} refs/heads/main\n`), FLUSH]));
    return;
  }
  response.write(Buffer.concat([packet('shallow-info\n'), packet(`shallow ${HASH}`), DELIMITER]));
  response.setMaxListeners(0);
  response.write(packet('packfile\n'));
  for await (const chunk of send(response)) {
    if (response.destroyed) return;
    if (!response.write(chunk))
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end(FLUSH);
}

const once = (response: ServerResponse, event: string) =>
  new Promise((resolve) => response.once(event, resolve));

/** The same again and again, with a wait in between. */
export async function* endlessly(chunk: Buffer, everyMs = 0): AsyncGenerator<Buffer> {
  for (;;) {
    yield chunk;
    if (everyMs > 0) await sleep(everyMs);
  }
}
