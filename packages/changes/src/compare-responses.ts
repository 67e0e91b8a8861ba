import { type ApiDocument, type At, memberOf, memberValue } from './api-document.ts';
import { compareContent } from './compare-content.ts';
import { compareLifecycle } from './compare-lifecycle.ts';
import { compareTexts } from './compare-texts.ts';
import type { Both, Comparison } from './comparison.ts';
import { announcedIn } from './lifecycle.ts';
import type { Direction } from './rules.ts';
import { isEqual } from './sameness.ts';
import type { Mode } from './schema/schema-change.ts';

/** Compares responses by status. `direction`: `request` where the client answers, as to webhooks. */
export function compareResponses(
  comparison: Comparison,
  { context, old, now }: Both,
  direction: Direction,
): void {
  const { report } = comparison;
  const [before, after] = [responsesOf(comparison.old, old), responsesOf(comparison.new, now)];
  const isAnswer = direction === 'request';
  const subjectOf = (status: string) => (isAnswer ? `the answer ${status}` : `response ${status}`);
  for (const [status, one] of before) {
    const isSuccess = isSuccessful(status, before);
    const isReplaced = () =>
      [...after.keys()].some(
        (other) => /^[123]/.test(other) && coveringStatus(before, other) === status,
      );
    // The successes in place of `2XX` are compared with it below. Clients that answer may have sent any other one.
    if (isSuccess && !isAnswer && !after.has(status) && isReplaced()) continue;
    const found = covering(after, status);
    const subject = subjectOf(status);
    if (found) {
      compareResponse(comparison, { context, subject, old: one, now: found }, direction);
      continue;
    }
    const code = isSuccess ? 'success-response-removed' : 'error-response-removed';
    report.add(isAnswer ? 'webhook-answer-removed' : code, context, {
      subject,
      old: one,
      new: null,
    });
  }
  for (const [status, one] of after) {
    if (before.has(status)) continue;
    const found = covering(before, status);
    const subject = subjectOf(status);
    if (found) {
      compareResponse(comparison, { context, subject, old: found, now: one }, direction);
      continue;
    }
    const code = isSuccessful(status, after) ? 'success-response-added' : 'error-response-added';
    report.add(isAnswer ? 'webhook-answer-added' : code, context, { subject, old: null, new: one });
  }
}

function responsesOf(document: ApiDocument, operation: At): Map<string, At> {
  const named = document.named(operation, 'responses');
  return new Map(
    [...named].map(([status, one]) => [status === 'default' ? status : status.toUpperCase(), one]),
  );
}

/** Which response a status has: its own, that of its class (`2XX`), or `default`. */
const coveringStatus = (responses: ReadonlyMap<string, At>, status: string): string | undefined =>
  [status, `${status.charAt(0)}XX`, 'default'].find((one) => responses.has(one));

function covering(responses: ReadonlyMap<string, At>, status: string): At | undefined {
  const found = coveringStatus(responses, status);
  return found === undefined ? undefined : responses.get(found);
}

/** Where no other status is a success, `default` is. */
const isSuccessful = (status: string, all: ReadonlyMap<string, At>): boolean =>
  /^[123]/.test(status) ||
  (status === 'default' && ![...all.keys()].some((one) => /^[123]/.test(one)));

function compareResponse(comparison: Comparison, both: Both, direction: Direction): void {
  const { report } = comparison;
  if (comparison.sameness.isSame(both.old, both.now)) return;
  compareTexts(report, both, ['summary', 'description']);
  compareHeaders(comparison, both, direction);
  compareContent(comparison, both, direction);
  compareLinks(comparison, both);
}

function compareHeaders(comparison: Comparison, both: Both, direction: Direction): void {
  const { report, schemas } = comparison;
  const { context, subject } = both;
  const [before, after] = [
    headersOf(comparison.old, both.old),
    headersOf(comparison.new, both.now),
  ];
  const isRequired = (at: At) => memberValue(at, 'required') === true;
  for (const [key, [name, old]] of before) {
    const about = `header \`${name}\` of ${subject}`;
    const now = after.get(key)?.[1];
    if (!now) {
      const code = isRequired(old) ? 'required-response-header-removed' : 'response-header-removed';
      report.add(code, context, { subject: about, old, new: null, gone: announcedIn(old) });
      continue;
    }
    if (comparison.sameness.isSame(old, now)) continue;
    const header = { context, subject: about, old, now };
    compareTexts(report, header, ['description', 'example', 'examples']);
    compareLifecycle(report, context, about, { old, now, rule: comparison.deprecation });
    if (isRequired(old) !== isRequired(now)) {
      const code = isRequired(now)
        ? 'response-header-became-required'
        : 'response-header-became-optional';
      report.add(code, context, { subject: about, old, new: now });
    }
    const [schema, next] = [memberOf(old, 'schema'), memberOf(now, 'schema')];
    const mode: Mode = { direction, form: 'text' };
    const node = schemas.compare(
      schema ? schemas.old.conjunctionOf(schema) : [],
      next ? schemas.new.conjunctionOf(next) : [],
      mode,
    );
    if (schema || next) report.addSchemas(node, mode, context, about);
    else compareContent(comparison, header, direction);
  }
  for (const [key, [name, now]] of after)
    if (!before.has(key))
      report.add('response-header-added', context, {
        ...{ subject: `header \`${name}\` of ${subject}`, old: null, new: now },
      });
}

/** Headers by their names in small letters; the content type is said by the media types. */
function headersOf(document: ApiDocument, response: At): Map<string, readonly [string, At]> {
  const headers = new Map<string, readonly [string, At]>();
  for (const [name, at] of document.named(response, 'headers'))
    if (name.toLowerCase() !== 'content-type') headers.set(name.toLowerCase(), [name, at]);
  return headers;
}

function compareLinks(comparison: Comparison, { context, subject, old, now }: Both): void {
  const { report } = comparison;
  const [before, after] = [comparison.old.named(old, 'links'), comparison.new.named(now, 'links')];
  const meaning = ({ value }: At) => ({ ...(value as object), description: undefined });
  for (const [name, one] of before) {
    const other = after.get(name);
    const about = { subject: `link \`${name}\` of ${subject}`, old: one, new: other ?? null };
    if (!other) report.add('link-removed', context, about);
    else if (!isEqual(meaning(one), meaning(other))) report.add('link-changed', context, about);
  }
  for (const [name, one] of after)
    if (!before.has(name))
      report.add('link-added', context, {
        subject: `link \`${name}\` of ${subject}`,
        old: null,
        new: one,
      });
}
