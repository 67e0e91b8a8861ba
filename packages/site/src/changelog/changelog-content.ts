import { Html, html } from '@petstore/http/html.ts';
import { count } from '@petstore/service/text.ts';
import { hrefOf } from '../site/site-files.ts';
import { wordBreaks } from '../site/word-breaks.ts';
import { longDay } from '../syntax/days.ts';
import { anchorOf, type ChangelogEntry, LISTED_VERDICTS, type ListedChange } from './changelog.ts';
import { CHANGELOG } from './changelog-paths.ts';
import { type ChangeGroup, groupedChanges } from './grouped-changes.ts';
import type { ChangelogNote } from './notes.ts';
import {
  type ChangelogDay,
  entryHeading,
  type SiteChangelog,
  versionBefore,
} from './site-changelog.ts';

/** The page of the changelog: its article. */
export function changelogContent(changelog: SiteChangelog): Html {
  const { days } = changelog;
  return html`<header class="log-head"><h1>${CHANGELOG.title}</h1>
<p class="docs-lead">${leadOf(changelog)}</p>
<p class="log-feeds"><a href="${CHANGELOG.atom}" type="application/atom+xml">${FEED}Atom feed</a><a href="${CHANGELOG.json}" type="application/feed+json">JSON feed</a></p></header>
${days.length === 0 ? html`<p class="log-empty">There is nothing yet. What changes is listed here, day by day.</p>` : ''}${days.map((day) => dayHtml(changelog, day))}`;
}

/** Lucide's outline of feeds (ISC licence). */
const FEED = new Html(
  '<svg width="15" height="15" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M4 11a9 9 0 0 1 9 9M4 4a16 16 0 0 1 16 16"/><circle cx="5" cy="19" r="1"/></svg>',
);

/** One sentence about the page. */
export const leadOf = ({ title }: Pick<SiteChangelog, 'title'>): string =>
  `What is new in ${title}, and what has changed.`;

function dayHtml(changelog: SiteChangelog, { day, notes, entries }: ChangelogDay): Html {
  return html`<section class="log-day" id="${day}" aria-labelledby="date-${day}">
<h2 class="log-date" id="date-${day}"><a href="#${day}"><time datetime="${day}">${longDay(day)}</time></a></h2>
<div class="log-items">${notes.map(noteHtml)}${entries.map((entry) => entryHtml(changelog, entry))}</div>
</section>
`;
}

function noteHtml({ anchor, page }: ChangelogNote): Html {
  const { title, lead } = page;
  return html`<div class="log-item log-note" id="${anchor}">${title === '' ? '' : html`<h3>${wordBreaks(title)}</h3>`}${lead === '' ? '' : html`<p class="log-about">${lead}</p>`}
${new Html(page.html)}</div>
`;
}

function entryHtml(changelog: SiteChangelog, entry: ChangelogEntry): Html {
  const { documentation, leftOut } = entry;
  const { title, version } = entryHeading(changelog, entry);
  const before = versionBefore(entry);
  const mark = version === undefined ? '' : html` <span class="log-version">${version}</span>`;
  return html`<div class="log-item log-api" id="${anchorOf(entry)}">
<h3>${wordBreaks(title)}${mark}</h3>
${before !== undefined ? html`<p class="log-before">Before: ${before}</p>` : ''}${entryBody(changelog, entry)}${leftOut > 0 ? html`<p class="log-rest">And ${count(leftOut, 'more change')}.</p>` : ''}${documentation > 0 ? html`<p class="log-rest">${documentationText(entry)}</p>` : ''}</div>
`;
}

/** `3 changes of descriptions and examples.` */
export const documentationText = ({ documentation, changes }: ChangelogEntry): string =>
  `${changes.length === 0 ? '' : 'Also '}${count(documentation, 'change')} of descriptions and examples.`;

/** The changes of an entry, by how grave they are. */
export function entryBody(changelog: SiteChangelog, entry: ChangelogEntry): Html {
  return html`${LISTED_VERDICTS.map((verdict) => {
    const changes = entry.changes.filter((change) => change.verdict === verdict);
    return changes.length === 0 ? html`` : verdictHtml(changelog, entry, verdict, changes);
  })}`;
}

export const VERDICT_TITLES = {
  breaking: 'Breaking',
  risky: 'Risky',
  compatible: 'Compatible',
} as const;

/** More groups than these are folded. */
const SHOWN = 8;

function verdictHtml(
  changelog: SiteChangelog,
  entry: ChangelogEntry,
  verdict: ListedChange['verdict'],
  changes: readonly ListedChange[],
): Html {
  const groups = groupedChanges(entry, changes);
  const items = groups.map((group) => groupHtml(changelog, entry, group));
  const folded = items.length > SHOWN + 1 ? items.slice(SHOWN) : [];
  const shown = items.slice(0, items.length - folded.length);
  return html`<h4 class="log-verdict log-${verdict}"><span>${VERDICT_TITLES[verdict]}</span></h4>
<ul class="log-changes">${shown}</ul>
${folded.length === 0 ? '' : html`<details class="log-more"><summary>${folded.length} more</summary><ul class="log-changes">${folded}</ul></details>`}`;
}

/** In letters: a sentence that stands beside its operation, such as `Was added.` */
const SHORT = 25;

/** So many operations of a change are named. */
const NAMED = 4;

function groupHtml(
  { findOperation }: SiteChangelog,
  entry: ChangelogEntry,
  { operations, more, sentences }: ChangeGroup,
): Html {
  const named = operations
    .slice(0, NAMED)
    .map((name) => operationHtml(name, findOperation(entry.api, name)));
  const rest = more + Math.max(0, operations.length - NAMED);
  const said = sentences.map((one) => withCode(one));
  const [only] = said;
  // Of many new operations a list of lines is easier to read.
  if (only && said.length === 1 && operations.length === 1 && sentences.join().length <= SHORT)
    return html`<li><p class="log-operations">${named}<span>${only}</span></p></li>`;
  return html`<li>${named.length === 0 ? '' : html`<p class="log-operations">${named}${rest > 0 ? html`<span class="log-others">and ${count(rest, 'other')}</span>` : ''}</p>`}${said.length === 1 && only ? html`<p>${only}</p>` : html`<ul>${said.map((one) => html`<li>${one}</li>`)}</ul>`}</li>`;
}

/** An operation as its page shows it: `GET /pets`. */
function operationHtml(name: string, path: string | undefined): Html {
  const space = name.indexOf(' ');
  const [method, address] = [name.slice(0, space), name.slice(space + 1)];
  const shown = html`<span class="method method-${method.toLowerCase()}">${method}</span> <code>${wordBreaks(address)}</code>`;
  return path === undefined
    ? html`<span class="log-operation">${shown}</span>`
    : html`<a class="log-operation" href="${hrefOf(path)}">${shown}</a>`;
}

/** A sentence whose code stands between backticks. */
function withCode(sentence: string): Html {
  const parts = sentence.split('`');
  // One that is not closed was cut, or is of a name that has one.
  return html`${parts.map((part, at) =>
    at % 2 === 1 && at < parts.length - 1
      ? html`<code>${part}</code>`
      : html`${at % 2 === 1 ? `\`${part}` : part}`,
  )}`;
}

/** The days of the page, to stand at its side. */
export function changelogToc({ days }: SiteChangelog): Html | undefined {
  if (days.length < 2) return undefined;
  const items = days
    .slice(0, MAX_LISTED)
    .map(({ day }) => html`<li class="toc-2"><a href="#${day}">${longDay(day)}</a></li>`);
  return html`<aside class="docs-toc" aria-label="On this page"><p class="docs-toc-title">On this page</p>
<ul>${items}</ul></aside>`;
}

/** Days at the page's side. */
const MAX_LISTED = 60;
