import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isOwnHost,
  isOwnPage,
  listenLocally,
  PAGE_HEADERS,
  send,
} from '@petstore/lab/local-page.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { findFault } from '../faults/faults.ts';
import type { Stage } from '../run/stage.ts';
import { boardPage } from './board-page.ts';

/** What a browser that comes later is told of what happened before. */
const KEPT_EVENTS = 200;

/** Serves the board on 127.0.0.1. Rejects where the port is taken. */
export async function serveBoard(port: number, stage: Stage) {
  const read = (url: string) => readFile(new URL(url, import.meta.url));
  const files = new Map<string, [type: string, content: Buffer]>([
    ['/lab.css', ['text/css', await read(import.meta.resolve('@petstore/lab/lab.css'))]],
    ['/board.css', ['text/css', await read('board.css')]],
    ['/board.js', ['text/javascript', await read('board.js')]],
  ]);
  const page = boardPage(stage.cluster);
  const watchers = new Set<ServerResponse>();
  const events: string[] = [];

  function tell(kind: 'second' | 'event', what: object): void {
    const text = `event: ${kind}\ndata: ${JSON.stringify(what)}\n\n`;
    if (kind === 'event') events.push(text);
    if (events.length > KEPT_EVENTS) events.shift();
    for (const watcher of watchers) watcher.write(text);
  }
  const tellEvent = (text: string, isFailure: boolean) =>
    tell('event', { at: Date.now(), text, isFailure });
  stage.on('news', (text) => tellEvent(text, false));
  stage.on('failure', (text) => tellEvent(text, true));
  stage.on('second', (state, measured) =>
    tell('second', {
      state,
      measured,
      applied: [...stage.applied.keys()],
      failures: stage.failures.length,
    }),
  );

  function watch(response: ServerResponse): void {
    response.writeHead(200, { ...PAGE_HEADERS, 'content-type': 'text/event-stream' });
    response.write(events.join(''));
    watchers.add(response);
    response.once('close', () => watchers.delete(response));
  }

  async function play(path: string, response: ServerResponse): Promise<void> {
    const [, id = '', action] = /^\/faults\/([a-z-]+)\/(apply|undo)$/.exec(path) ?? [];
    try {
      const fault = findFault(id);
      if (action === 'undo') await stage.undo(fault);
      else await stage.apply(fault);
      send(response, 200, 'application/json', '{}\n');
    } catch (error) {
      const { message } = error as Error;
      const status = error instanceof UserError ? 404 : 409;
      send(response, status, 'application/json', JSON.stringify({ message }));
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '/' } = request;
    const file = files.get(url);
    if (!isOwnHost(request)) send(response, 421, 'text/plain', 'The board is at 127.0.0.1.\n');
    else if (method === 'POST' && !isOwnPage(request))
      send(response, 403, 'text/plain', 'This comes from a page of another origin.\n');
    else if (method === 'POST') await play(url, response);
    else if (url === '/') send(response, 200, 'text/html; charset=utf-8', page);
    else if (url === '/events') watch(response);
    else if (file) send(response, 200, ...file);
    else send(response, 404, 'text/plain', 'There is nothing here.\n');
  }

  return listenLocally(port, (request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
}
