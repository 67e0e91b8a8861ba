import { ApiDocument, type ComparedDocument } from './api-document.ts';
import type { ChangeList } from './change.ts';
import { compareInfo } from './compare-info.ts';
import { compareOperation } from './compare-operations.ts';
import { comparePaths, type PairedOperation } from './compare-paths.ts';
import { compareSecuritySchemes, SecurityComparison } from './compare-security.ts';
import { compareServers } from './compare-servers.ts';
import type { Comparison } from './comparison.ts';
import type { Exception } from './exceptions.ts';
import { listOf, Report } from './report.ts';
import { Sameness } from './sameness.ts';
import { SchemaComparison } from './schema/compare-schemas.ts';
import { SchemaViews } from './schema/schema-view.ts';

export interface CompareOptions {
  /** The day on which it is asked, `2026-11-30`; today in UTC where it is not given. */
  readonly today?: string;
  /** Changes that may be made although they break clients. */
  readonly exceptions?: readonly Exception[];
  /** The fewest days between the announcement of a removal and its day; 0 for no rule. */
  readonly deprecationDays?: number;
}

/**
 * Lists what the second document changes for those who rely on the first. Both are OpenAPI 3.0, 3.1 or 3.2, each in one
 * piece; Swagger 2.0 is upgraded before. What is no OpenAPI in them is passed over. Takes time and memory in proportion
 * to what has changed.
 */
export function compareDocuments(
  old: ComparedDocument,
  now: ComparedDocument,
  options: CompareOptions = {},
): ChangeList {
  const {
    today = new Date().toISOString().slice(0, 10),
    exceptions = [],
    deprecationDays = 0,
  } = options;
  const documents = { old: new ApiDocument(old), new: new ApiDocument(now) };
  const deprecation = { today, fewestDays: deprecationDays };
  const sameness = new Sameness(documents.old, documents.new);
  const report = new Report(documents.old, documents.new, { today, exceptions });
  const comparison: Comparison = {
    ...documents,
    report,
    sameness,
    deprecation,
    schemas: new SchemaComparison(
      new SchemaViews(documents.old),
      new SchemaViews(documents.new),
      ...([sameness, deprecation] as const),
    ),
    security: new SecurityComparison(documents.old, documents.new, report),
  };
  compareInfo(comparison);
  compareServers(report, { old: documents.old.root, new: documents.new.root }, 'the API', null);
  compareSecuritySchemes(documents.old, documents.new, report);
  for (const section of ['paths', 'webhooks'] as const) {
    const { added, removed, kept } = comparePaths(comparison, section);
    const isWebhook = section === 'webhooks';
    for (const one of removed) {
      const code = isWebhook ? 'webhook-removed' : 'operation-removed';
      const subject = `\`${one.name}\``;
      report.add(code, one.context, { subject, old: one.at, new: null, gone: one.announced });
    }
    for (const one of added) {
      const code = isWebhook ? 'webhook-added' : 'operation-added';
      report.add(code, one.context, { subject: `\`${one.name}\``, old: null, new: one.at });
    }
    for (const pair of kept) compareKept(comparison, pair, isWebhook);
  }
  comparison.security.end();
  return report.list();
}

/** The lists of several documents as one. */
export const joinedLists = (lists: readonly ChangeList[]): ChangeList =>
  listOf(lists.flatMap(({ changes }) => changes));

function compareKept(comparison: Comparison, pair: PairedOperation, isWebhook: boolean): void {
  const { old, now, context } = pair;
  comparison.security.compare(old.at, now.at, context);
  for (const level of [
    { old: old.item, new: now.item },
    { old: old.at, new: now.at },
  ])
    compareServers(comparison.report, level, `\`${context.name}\``, context);
  // In most operations nothing has changed.
  const { sameness } = comparison;
  const isSame = sameness.isSame(old.at, now.at) && sameness.isSame(old.shared, now.shared);
  if (!isSame) compareOperation(comparison, pair, isWebhook);
}
