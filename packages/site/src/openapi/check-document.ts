import { toPointer } from '../syntax/source.ts';
import type { DocumentFinding } from './document-finding.ts';
import { isMethod } from './methods.ts';
import { isObject, type OpenApiDocument } from './openapi-types.ts';
import { pathProblems } from './path-problems.ts';
import { type MissingReferences, missingReferences, referenceProblems } from './references.ts';
import { schemaProblems } from './schema-problems.ts';
import { tagProblems } from './tags.ts';
import { typeProblems } from './type-problems.ts';
import { versionOf } from './version.ts';

/** The result of a check. */
export interface DocumentCheck {
  /** Whether a reference can be made of the document, whatever is wrong with it. */
  readonly canBeShown: boolean;
  /** What is against the specification. */
  readonly findings: readonly DocumentFinding[];
}

/**
 * Checks a document against its version of the specification. `told`: the pointers of references of which is known
 * already that they lead to nothing.
 */
export async function checkDocument(
  document: OpenApiDocument,
  told: ReadonlySet<string> = new Set(),
): Promise<DocumentCheck> {
  const version = versionOf(document);
  if (typeof version === 'object') return { canBeShown: false, findings: [version] };
  const missing = missingReferences(document);
  const found = firstOf(
    isOfDocument(missing),
    await schemaProblems(document),
    version === '3.1' || version === '3.2' ? typeProblems(document) : [],
    referenceProblems(document, missing, told),
    pathProblems(document),
    version === '3.2' ? tagProblems(document) : [],
  );
  return {
    canBeShown:
      SHOWN.some((name) => isObject(document[name])) && !lacksOperations(document, missing),
    findings: [...new Map(found.map((one) => [`${one.path} ${one.message}`, one])).values()],
  };
}

/** Whether a finding is not of an object that lies elsewhere: what is said of that follows from it. */
function isOfDocument({ outside }: MissingReferences): (finding: DocumentFinding) => boolean {
  const elsewhere = new Set(outside.map(({ location }) => toPointer(location.slice(0, -1))));
  return ({ rule, path }) => {
    if (rule === 'missing-reference' || elsewhere.size === 0) return true;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
      if (elsewhere.has(path.slice(0, end))) return false;
    return true;
  };
}

/** Whether most paths, as a whole or in their operations, are in other files: their pages would be empty. */
function lacksOperations({ paths }: OpenApiDocument, { outside }: MissingReferences): boolean {
  const elsewhere = outside.flatMap(({ location: [part, path, ...rest] }) => {
    const isWhole = rest.length === 1 || (rest.length === 2 && isMethod(String(rest[0])));
    return part === 'paths' && isWhole ? [path] : [];
  });
  return isObject(paths) && 2 * new Set(elsewhere).size > Object.keys(paths).length;
}

/** What a reference can be made of. */
const SHOWN = ['paths', 'webhooks', 'components', 'definitions'] as const;

/** How many findings are collected: nobody would read as many. */
const MAX_FINDINGS = 5_000;

/** The first findings that are wanted, in their order, up to the limit. */
function firstOf(
  isWanted: (finding: DocumentFinding) => boolean,
  ...finders: readonly Iterable<DocumentFinding>[]
): DocumentFinding[] {
  const first: DocumentFinding[] = [];
  for (const findings of finders) {
    for (const finding of findings) {
      if (first.length === MAX_FINDINGS) return first;
      if (isWanted(finding)) first.push(finding);
    }
  }
  return first;
}
