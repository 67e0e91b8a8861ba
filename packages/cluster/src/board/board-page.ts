import { type Html, html } from '@petstore/reference/html.ts';
import type { Cluster } from '../cluster.ts';
import { DISK_FAULTS } from '../faults/disk.ts';
import type { Fault } from '../faults/fault.ts';
import { OPERATIONS } from '../faults/operations.ts';
import { POWER_FAULTS } from '../faults/power.ts';
import { SILENT_FAULTS } from '../faults/silence.ts';

const GROUPS: readonly [title: string, faults: readonly Fault[]][] = [
  ['Gone', POWER_FAULTS],
  ['Silent', SILENT_FAULTS],
  ['Disks', DISK_FAULTS],
  ['Operators and clocks', OPERATIONS],
];

/** The page of the board. Its script updates it from `GET /events`. */
export function boardPage({ databases, apis, balancers, folder }: Cluster): string {
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
