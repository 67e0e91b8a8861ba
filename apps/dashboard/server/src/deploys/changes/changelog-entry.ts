import { hash } from 'node:crypto';
import type { ComparedDocument } from '@petstore/changes/api-document.ts';
import type { Change } from '@petstore/changes/change.ts';
import { grouped } from '@petstore/changes/formats/grouped.ts';
import { saidWithoutReason } from '@petstore/changes/report.ts';
import { ruleOf } from '@petstore/changes/rules.ts';
import { truncate } from '@petstore/service/text.ts';
import {
  type ChangedOperation,
  type ChangelogEntry,
  LISTED_VERDICTS,
  type ListedChange,
  MOST,
  type OperationEvent,
} from '@petstore/site/changelog/changelog.ts';
import { isObject, textOf } from '@petstore/site/openapi/openapi-types.ts';
import { titleText } from '@petstore/site/openapi/title-text.ts';
import type { DocumentPair } from './pair-documents.ts';

/** Of titles and versions, in letters. */
const MOST_NAME = 100;

/**
 * What readers are told of the changes of a document; undefined where nothing but documentation has changed. The reasons
 * of exceptions are left out, and their changes have the verdict that they would have without one: an exception is
 * between those who publish. `at`: RFC 3339.
 */
export function changelogEntry(
  { address, old, now }: DocumentPair,
  changes: readonly Change[],
  at: string,
): ChangelogEntry | undefined {
  const told = changes.map(forReaders);
  const listed = told.filter(({ verdict }) => verdict !== 'documentation');
  const [was, is] = [infoOf(old), infoOf(now)];
  const isNewVersion = is.version !== null && is.version !== was.version;
  if (listed.length === 0 && !(isNewVersion && told.length > 0)) return undefined;
  const operations = bounded(operationsOf(listed), MOST.operationLetters);
  const places = new Map(operations.map(({ name }, index) => [name, index]));
  const groups = groupsOf(listed, places);
  const kept = bounded(groups.slice(0, MOST.changes), MOST.changeLetters);
  const entry = {
    at,
    api: address || null,
    title: is.title || was.title,
    version: is.version ?? was.version,
    before: was.version,
    documentation: told.length - listed.length,
    operations,
    changes: kept,
    leftOut: groups.length - kept.length,
  };
  return { id: hash('sha256', JSON.stringify(entry), 'hex').slice(0, 16), ...entry };
}

const forReaders = (change: Change): Change => ({
  ...change,
  message: saidWithoutReason(change),
  ...(change.allowed?.by === 'exception' && { verdict: ruleOf(change.code).verdict }),
});

function infoOf({ document: { info } }: ComparedDocument) {
  const { title, version } = isObject(info) ? info : {};
  const text = typeof version === 'number' ? String(version) : textOf(version);
  return {
    title: truncate(titleText(title) ?? '', MOST_NAME),
    version: text.trim() === '' ? null : truncate(text.trim(), MOST_NAME),
  };
}

/** Changes at the same places together, the gravest first. */
function groupsOf(changes: readonly Change[], places: ReadonlyMap<string, number>): ListedChange[] {
  const groups = new Map(grouped(changes));
  return LISTED_VERDICTS.flatMap((verdict) =>
    (groups.get(verdict) ?? []).map(({ change, operations }): ListedChange => {
      const known = operations.flatMap((name) => places.get(name) ?? []);
      const named = known.slice(0, MOST.named);
      return {
        ...{ verdict, code: change.code, message: truncate(change.message, MOST.message) },
        ...{ operations: named, more: operations.length - named.length },
      };
    }),
  );
}

const EVENTS: Readonly<Record<string, OperationEvent>> = {
  'operation-added': 'added',
  'webhook-added': 'added',
  'operation-removed': 'removed',
  'webhook-removed': 'removed',
  deprecated: 'deprecated',
  'deprecation-withdrawn': 'restored',
  'sunset-withdrawn': 'kept',
};

const SUNSETS = /^sunset-(?:announced|earlier|later|too-soon)$/;

/** The operations that changes reach; what is only changed comes last, where the rest may be left out. */
function operationsOf(changes: readonly Change[]): ChangedOperation[] {
  const found = new Map<string, { did: Set<OperationEvent>; sunset?: string }>();
  for (const { operation, code, message, new: now } of changes) {
    if (operation === null) continue;
    const known = found.get(operation) ?? { did: new Set() };
    found.set(operation, known);
    // Parameters, properties and headers are deprecated as well.
    const isOwn = message.startsWith(`\`${operation}\` `);
    const day = textOf(now?.value);
    if (isOwn && SUNSETS.test(code) && day !== '') known.sunset = day.slice(0, 10);
    else known.did.add((isOwn && EVENTS[code]) || 'changed');
  }
  const all = [...found].map(
    ([name, { did, sunset }]): ChangedOperation => ({
      ...{ name, did: [...did] },
      ...(sunset !== undefined && { sunset }),
    }),
  );
  const isPlain = ({ did, sunset }: ChangedOperation) =>
    sunset === undefined && did.every((event) => event === 'changed');
  return [...all.filter((one) => !isPlain(one)), ...all.filter(isPlain)];
}

/** As many as have no more letters of JSON together. */
function bounded<One>(all: readonly One[], most: number): One[] {
  let letters = 0;
  const beyond = all.findIndex((one) => {
    letters += JSON.stringify(one).length;
    return letters > most;
  });
  return beyond === -1 ? [...all] : all.slice(0, beyond);
}
