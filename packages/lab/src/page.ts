import { type Html, html } from '@petstore/http/html.ts';
import type { LabDomain } from './lab-control.ts';
import type { ZoneRecord } from './name-server/zone-record.ts';
import { RECORD_TYPES } from './read-record.ts';
import { reasonAgainst, type Scenario } from './scenarios/scenario.ts';
import { findScenario, SCENARIOS } from './scenarios/scenarios.ts';

/** The constant parts of the page. */
export interface LabFacts {
  readonly dashboard: string;
  readonly project: string;
  readonly email: string;
  readonly password: string;
  readonly authority: string;
  /** The file with the authority's root certificate. */
  readonly rootFile: string;
  /** The lab's zones, of which `example` is the one to begin with. */
  readonly example: string;
}

interface Shown {
  readonly facts: LabFacts;
  readonly domains: readonly LabDomain[];
  readonly zones: readonly { readonly origin: string; readonly records: readonly ZoneRecord[] }[];
  /** The card, by `cardId`, whose scenarios are open; the first domain's where there is no such card. */
  readonly open?: string | null;
  /** Why the last change was refused. */
  readonly refusal?: string | undefined;
}

const AREAS = ['Records', 'Move', 'Name servers', 'CAA', 'Authority'] as const;

export function page({ facts, domains, zones, open = null, refusal }: Shown): string {
  const ids = domains.map(({ project, claim }) => cardId(project, claim.hostname));
  const opened = Math.max(0, ids.indexOf(open ?? ''));
  const body = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The lab: custom domains offline</title>
<link rel="stylesheet" href="/lab.css">
<script src="/lab.js" type="module"></script>
<header>
  <h1>The lab</h1>
  <p>A name server and a certificate authority of your own, and a dashboard that believes them.
    Nothing here leaves this computer.</p>
  <dl>
    <div><dt>Dashboard</dt><dd><a href="${domainsPage(facts)}">${facts.dashboard}</a></dd></div>
    <div><dt>Sign in</dt><dd><code>${facts.email}</code> <code class="password">${facts.password}</code></dd></div>
    <div><dt>Authority</dt><dd>${facts.authority}</dd></div>
    <div><dt>Its root</dt><dd><code>${facts.rootFile}</code></dd></div>
  </dl>
</header>
<main>
${refusal === undefined ? '' : html`<p class="refusal" role="alert">${refusal}</p>`}
<section aria-labelledby="domains">
  <h2 id="domains">Domains</h2>
  <div id="claims">${domains.length === 0 ? none(facts) : domains.map((domain, i) => domainCard(domain, i === opened))}</div>
</section>
<section aria-labelledby="zones">
  <h2 id="zones">DNS</h2>
  <p>What the name servers answer with. ${
    domains.length === 0
      ? 'It can be changed by hand.'
      : 'Change it by hand where the buttons above do not do.'
  }</p>
  <div id="records">${zones.map(zoneTable)}</div>
  ${addForm(facts)}
</section>
</main>
</html>
`;
  return body.text;
}

function none(facts: LabFacts): Html {
  return html`<p class="empty">None yet. <a href="${domainsPage(facts)}">Add
    <code>docs.${facts.example}</code> in the dashboard</a>: it appears here by itself.</p>`;
}

/** The id of a claim's card on the page; several projects can claim a name. */
export function cardId(project: string, hostname: string): string {
  return `${project}/${hostname}`;
}

function domainsPage({ dashboard, project }: LabFacts): string {
  return `${dashboard}/projects/${project}/settings/domains`;
}

function domainCard(domain: LabDomain, isOpen: boolean): Html {
  const { project, claim, scenario } = domain;
  return html`<article id="${cardId(project, claim.hostname)}">
  ${standing(domain)}
  <details${isOpen ? html` open` : ''}><summary>What the DNS should have</summary>
  ${AREAS.map((area) => {
    const fitting = SCENARIOS.filter(
      (each) => each.area === area && reasonAgainst(each, claim) === undefined,
    );
    if (fitting.length === 0) return html``;
    return html`<fieldset><legend>${area}</legend>
    ${fitting.map((each) => scenarioForm(each, project, claim, each.id === scenario))}</fieldset>`;
  })}
  </details>
  </article>`;
}

/** The state of a domain, which the page updates. */
function standing({ project, state, verdict, claim, scenario, url }: LabDomain): Html {
  const current = scenario === undefined ? undefined : findScenario(scenario);
  return html`<div class="standing">
  <h3>${claim.hostname} <span class="state ${state}">${state}</span> <span class="of">${project}</span></h3>
  <p>${verdict === null ? 'Not checked yet.' : html`<code>${verdict.code}</code> ${verdict.message}`}
    ${state === 'active' ? html`<a href="${url}">${url}</a>` : ''}</p>
  ${
    current
      ? html`<p class="current">Now: <strong>${current.title}.</strong> Expect <code>${current.verdict}</code>, ${current.expect}</p>`
      : html`<p class="current">Nothing was chosen for it yet.</p>`
  }
  </div>`;
}

function scenarioForm(
  scenario: Scenario,
  project: string,
  claim: LabDomain['claim'],
  isCurrent: boolean,
): Html {
  const { id, title, verdict, expect } = scenario;
  return html`<form method="post" action="/scenario">
      <input type="hidden" name="project" value="${project}">
      <input type="hidden" name="hostname" value="${claim.hostname}">
      <button name="scenario" value="${id}"${isCurrent ? html` aria-pressed="true"` : ''} title="${verdict}, ${expect}">
        <span>${title}</span> <code>${id}</code>
      </button>
    </form>`;
}

function zoneTable({ origin, records }: Shown['zones'][number]): Html {
  if (records.length === 0) return html`<h3>${origin}</h3><p class="empty">No records.</p>`;
  return html`<h3>${origin}</h3>
  <div class="scroll"><table>
    <thead><tr><th>Name</th><th>Type</th><th>Value</th><th>TTL</th><td></td></tr></thead>
    <tbody>${records.map(recordRow)}</tbody>
  </table></div>`;
}

function recordRow({ name, type, value, ttl = 300 }: ZoneRecord): Html {
  const text = String(value);
  return html`<tr><td>${name}</td><td>${type}</td><td>${text}</td><td>${ttl}</td><td>
    <form method="post" action="/records/remove">
      <input type="hidden" name="name" value="${name}">
      <input type="hidden" name="type" value="${type}">
      <input type="hidden" name="value" value="${text}">
      <button aria-label="Remove ${type} ${name}">Remove</button>
    </form></td></tr>`;
}

function addForm({ example }: LabFacts): Html {
  return html`<form method="post" action="/records" class="add">
    <label>Name <input name="name" required placeholder="docs.${example}"></label>
    <label>Type <select name="type">${RECORD_TYPES.map((type) => html`<option>${type}</option>`)}</select></label>
    <label class="wide">Value <input name="value" required></label>
    <label>TTL <input name="ttl" inputmode="numeric" pattern="[0-9]{1,9}" value="300" size="6"></label>
    <button>Add the record</button>
  </form>`;
}
