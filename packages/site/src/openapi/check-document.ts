import { isObject, type OpenApiDocument } from './openapi-types.ts';
import { pathProblems } from './path-problems.ts';
import { referenceProblems } from './references.ts';
import { type DocumentFinding, schemaProblems } from './schema-problems.ts';
import { typeProblems } from './type-problems.ts';
import { versionOf } from './version.ts';

/** The result of a check. */
export interface DocumentCheck {
  /** Whether a reference can be made of the document, whatever is wrong with it. */
  readonly canBeShown: boolean;
  /** What is against the specification. */
  readonly findings: readonly DocumentFinding[];
}

/** Checks a document against its version of the specification. */
export async function checkDocument(document: OpenApiDocument): Promise<DocumentCheck> {
  const version = versionOf(document);
  if (typeof version === 'object') return { canBeShown: false, findings: [version] };
  const found = firstOf(
    await schemaProblems(document),
    version === '3.1' ? typeProblems(document) : [],
    referenceProblems(document),
    pathProblems(document),
  );
  return {
    canBeShown: SHOWN.some((name) => isObject(document[name])),
    findings: [...new Map(found.map((one) => [`${one.path} ${one.message}`, one])).values()],
  };
}

/** What a reference can be made of. */
const SHOWN = ['paths', 'webhooks', 'components', 'definitions'] as const;

/** How many findings are collected: nobody would read as many. */
const MAX_FINDINGS = 5_000;

/** The first findings, in their order, up to the limit. */
function firstOf(...finders: readonly Iterable<DocumentFinding>[]): DocumentFinding[] {
  const first: DocumentFinding[] = [];
  for (const findings of finders) {
    for (const finding of findings) {
      if (first.length === MAX_FINDINGS) return first;
      first.push(finding);
    }
  }
  return first;
}
