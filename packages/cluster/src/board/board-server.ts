import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Html, html } from '@petstore/http/html.ts';
import {
  isOwnHost,
  isOwnPage,
  listenLocally,
  PAGE_HEADERS,
  send,
} from '@petstore/lab/local-page.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Cluster } from '../cluster.ts';
import { DISK_FAULTS } from '../faults/disk.ts';
import type { Fault } from '../faults/fault.ts';
import { findFault } from '../faults/faults.ts';
import { OPERATIONS } from '../faults/operations.ts';
import { POWER_FAULTS } from '../faults/power.ts';
import { SILENT_FAULTS } from '../faults/silence.ts';
import type { Stage } from '../run/stage.ts';

/** The events that a browser gets when it connects later. */
const KEPT_EVENTS = 200;

/** Serves the board on 127.0.0.1. Rejects where the port is taken. */
export async function serveBoard(port: number, stage: Stage) {
  const files = new Map<string, [type: string, content: Buffer]>([
    [
      '/lab.css',
      ['text/css', await readFile(new URL(import.meta.resolve('@petstore/lab/lab.css')))],
    ],
    ['/board.css', ['text/css', await readFile(new URL('board.css', import.meta.url))]],
    ['/board.js', ['text/javascript', await readFile(new URL('board.js', import.meta.url))]],
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

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
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
    respond(request, response).catch((error: Error) => response.destroy(error));
  });
}

const GROUPS: readonly [title: string, faults: readonly Fault[]][] = [
  ['Gone', POWER_FAULTS],
  ['Silent', SILENT_FAULTS],
  ['Disks', DISK_FAULTS],
  ['Operators and clocks', OPERATIONS],
];

/** The page of the board. Its script updates it from `GET /events`. */
function boardPage({ databases, apis, balancers, folder }: Cluster): string {
  const machines = [...databases, ...apis, ...balancers];
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The cluster</title>
<link rel="stylesheet" href="/lab.css">
<link rel="stylesheet" href="/board.css">
<script src="/board.js" type="module"></script>
<header>
  <h1>The cluster</h1>
  <p>The machines of <code>deploy/cluster</code> in a network of their own, clients that compare what they are told, and
    what can go wrong. Logs: <code>${folder}</code></p>
</header>
<main>
<section aria-label="Figures" class="figures">
  ${figure('reads', 'reads a second')}
  ${figure('reads-p99', 'ms at most, 99 % of reads')}
  ${figure('writes', 'writes a second')}
  ${figure('writes-p99', 'ms at most, 99 % of writes')}
  ${figure('unavailable', 'failed a second')}
  ${figure('acknowledged', 'animals acknowledged')}
  ${figure('failures', 'times what must not be')}
</section>
<figure>
  <svg id="chart" viewBox="0 0 180 60" preserveAspectRatio="none" role="img"
    aria-label="Requests of the last three minutes: those that succeeded, and those that did not"></svg>
  <figcaption>The last three minutes: <span class="good">succeeded</span>, <span class="bad">refused, or the connection broke</span></figcaption>
</figure>
<section aria-labelledby="machines">
  <h2 id="machines">Machines</h2>
  <div class="machines">${machines.map(({ name, address }) => machineCard(name, address))}</div>
</section>
<section aria-labelledby="faults">
  <h2 id="faults">Faults</h2>
  <p>A fault lasts until you press it again. Some are over at once.</p>
  ${GROUPS.map(
    ([title, faults]) =>
      html`<fieldset><legend>${title}</legend>${faults.map(faultButton)}</fieldset>`,
  )}
  <p class="refusal" role="alert" id="refusal" hidden></p>
</section>
<section aria-labelledby="news">
  <h2 id="news">What happened</h2>
  <ol id="events" reversed></ol>
</section>
</main>
</html>
`.text;
}

function figure(id: string, caption: string): Html {
  return html`<div><strong id="${id}">–</strong><span>${caption}</span></div>`;
}

function machineCard(name: string, address: string): Html {
  return html`<article id="${name}"><h3>${name} <span class="of">${address}</span></h3><p class="role">…</p></article>`;
}

function faultButton({ id, title }: Fault): Html {
  return html`<button type="button" data-fault="${id}">${title}</button>`;
}
