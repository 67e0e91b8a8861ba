import { type Html, html } from '@petstore/http/html.ts';
import type { OperationSummary } from '../openapi/openapi-types.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { shortDay } from '../syntax/days.ts';
import { anchorOf, type ChangelogEntry, dayOf, templateOf } from './changelog.ts';
import { CHANGELOG } from './changelog-paths.ts';

/** A thing that is known of an operation's past, or of its end. */
interface Fact {
  /** `Added` */
  readonly said: string;
  readonly day: string;
  readonly entry: ChangelogEntry;
}

/** Since when an operation is there, when it changed, and so on: none where nothing is known. */
function factsOf({ histories }: ReferenceContext, { method, path }: OperationSummary): Fact[] {
  const history = histories?.get(templateOf(`${method} ${path}`));
  if (!history) return [];
  const { added, changed, deprecated, sunset } = history;
  const fact = (said: string, entry: ChangelogEntry | undefined): Fact[] =>
    entry ? [{ said, day: dayOf(entry), entry }] : [];
  return [
    ...fact('Added', added),
    ...fact('Changed', changed),
    ...fact('Deprecated since', deprecated),
    ...(sunset ? [{ said: 'Will be removed on', ...sunset }] : []),
  ];
}

const hrefTo = (entry: ChangelogEntry) => `${CHANGELOG.path}#${anchorOf(entry)}`;

/** A quiet line, each part linked to its entry of the changelog; empty where nothing is known. */
export function historyHtml(context: ReferenceContext, operation: OperationSummary): Html {
  const facts = factsOf(context, operation);
  if (facts.length === 0) return html``;
  const parts = facts.map(
    ({ said, day, entry }) =>
      html`<span>${said} <a href="${hrefTo(entry)}"><time datetime="${day}">${shortDay(day)}</time></a></span>`,
  );
  return html`<p class="ref-history">${parts}</p>`;
}

/** The same as a line of Markdown. */
export function historyMarkdown(context: ReferenceContext, operation: OperationSummary): string {
  return factsOf(context, operation)
    .map(({ said, day }) => `${said} [${day}](${CHANGELOG.path}.md)`)
    .join(', ');
}
