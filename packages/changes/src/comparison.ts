import type { ApiDocument, At } from './api-document.ts';
import type { SecurityComparison } from './compare-security.ts';
import type { DeprecationRule } from './lifecycle.ts';
import type { OperationContext, Report } from './report.ts';
import type { Sameness } from './sameness.ts';
import type { SchemaComparison } from './schema/compare-schemas.ts';

/** What all parts of a comparison use. */
export interface Comparison {
  readonly old: ApiDocument;
  readonly new: ApiDocument;
  readonly report: Report;
  readonly sameness: Sameness;
  readonly schemas: SchemaComparison;
  readonly security: SecurityComparison;
  readonly deprecation: DeprecationRule;
}

/** One thing in both documents, and what it is called. */
export interface Both {
  readonly context: OperationContext;
  readonly subject: string;
  readonly old: At;
  readonly now: At;
}
