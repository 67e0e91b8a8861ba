import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { type ApiDocument, type At, memberOf, memberValue } from './api-document.ts';
import { compareContent } from './compare-content.ts';
import { compareLifecycle } from './compare-lifecycle.ts';
import { compareParameters } from './compare-parameters.ts';
import { operationsAt, type PairedOperation } from './compare-paths.ts';
import { compareResponses } from './compare-responses.ts';
import { compareTexts } from './compare-texts.ts';
import type { Both, Comparison } from './comparison.ts';
import type { Report } from './report.ts';
import type { Direction } from './rules.ts';
import { isEqual } from './sameness.ts';

/** Compares an operation of both documents. `isReversed`: the API sends the request, as for webhooks and callbacks. */
export function compareOperation(
  comparison: Comparison,
  { old, now, context }: PairedOperation,
  isReversed: boolean,
): void {
  const { report, deprecation } = comparison;
  const subject = `\`${context.name}\``;
  const both = { context, subject, old: old.at, now: now.at };
  compareTexts(report, both, ['summary', 'description', 'externalDocs']);
  compareLifecycle(report, context, subject, { old: old.at, now: now.at, rule: deprecation });
  compareLists(report, both);
  compareParameters(comparison, { old, now, context }, isReversed);
  const [sends, gets]: Direction[] = isReversed ? ['response', 'request'] : ['request', 'response'];
  compareRequestBody(comparison, both, sends as Direction);
  compareResponses(comparison, both, gets as Direction);
  compareCallbacks(comparison, both, isReversed);
}

/** `operationId` and `tags`. */
function compareLists(report: Report, { context, subject, old, now }: Both): void {
  const [id, next] = [memberOf(old, 'operationId'), memberOf(now, 'operationId')];
  if (id && !isEqual(id.value, next?.value))
    report.add('operation-id-changed', context, {
      ...{ subject, old: id, new: next ?? now },
      said: { old: id.value, new: next?.value ?? 'none' },
    });
  const tags = (at: At) => {
    const list = memberValue(at, 'tags');
    return Array.isArray(list) ? list.map(String).sort() : [];
  };
  const [before, after] = [tags(old), tags(now)];
  if (before.join('\n') === after.join('\n')) return;
  report.add('tags-changed', context, {
    ...{ subject, old: memberOf(old, 'tags') ?? old, new: memberOf(now, 'tags') ?? now },
    said: { old: before.join(', ') || 'none', new: after.join(', ') || 'none' },
  });
}

function compareRequestBody(
  comparison: Comparison,
  { context, subject: operation, old: oldOperation, now: newOperation }: Both,
  direction: Direction,
): void {
  const { report } = comparison;
  const old = comparison.old.member(oldOperation, 'requestBody');
  const now = comparison.new.member(newOperation, 'requestBody');
  const subject = direction === 'request' ? 'the request body' : `the body of ${operation}`;
  const isRequired = (at: At) => memberValue(at, 'required') === true;
  if (!old && !now) return;
  if (!old && now) {
    const code = isRequired(now) ? 'required-request-body-added' : 'request-body-added';
    // What the API sends besides breaks nobody.
    const isSent = direction === 'response';
    report.add(isSent ? 'request-body-added' : code, context, { subject, old: null, new: now });
    return;
  }
  if (!old) return;
  if (!now) {
    report.add('request-body-removed', context, { subject, old, new: null });
    return;
  }
  if (isRequired(old) !== isRequired(now) && direction === 'request') {
    const code = isRequired(now) ? 'request-body-became-required' : 'request-body-became-optional';
    report.add(code, context, {
      ...{ subject, old: memberOf(old, 'required') ?? old, new: memberOf(now, 'required') ?? now },
    });
  }
  const both = { context, subject, old, now };
  compareTexts(report, both, ['description']);
  compareContent(comparison, both, direction);
}

/** Callbacks by name and expression. What they send is judged as a response is. */
function compareCallbacks(
  comparison: Comparison,
  { context, old, now }: Both,
  isReversed: boolean,
): void {
  const { report } = comparison;
  const [before, after] = [callbacksOf(comparison.old, old), callbacksOf(comparison.new, now)];
  for (const [key, one] of before) {
    const other = after.get(key);
    const subject = `callback \`${one.name}\``;
    if (!other) {
      report.add('callback-removed', context, { subject, old: one.at, new: null });
      continue;
    }
    const item = (at: At) => ({
      ...{ name: context.name, path: '', at, item: at, context },
      shared: { value: [], pointer: at.pointer },
      announced: { deprecated: undefined, sunset: undefined },
    });
    compareOperation(comparison, { old: item(one.at), now: item(other.at), context }, !isReversed);
  }
  for (const [key, one] of after)
    if (!before.has(key))
      report.add('callback-added', context, {
        subject: `callback \`${one.name}\``,
        old: null,
        new: one.at,
      });
}

function callbacksOf(document: ApiDocument, operation: At) {
  const callbacks = new Map<string, { readonly name: string; readonly at: At }>();
  for (const [name, callback] of document.named(operation, 'callbacks')) {
    if (!isObject(callback.value)) continue;
    for (const expression of Object.keys(callback.value)) {
      const item = document.member(callback, expression);
      if (!item) continue;
      for (const [method, at] of operationsAt(document, item))
        callbacks.set(`${name} ${expression} ${method}`, { name, at });
    }
  }
  return callbacks;
}
