import type { DeployProblem } from '../artifact.ts';
import { fromPointer } from './json-pointer.ts';
import { pathProblems } from './path-problems.ts';
import type { ReadDocument } from './read-document.ts';
import { referenceProblems } from './references.ts';
import { type Finding, schemaProblems } from './schema-problems.ts';
import { versionOf } from './version.ts';

/** More would not be read; the rest is counted, as far as it is collected. */
const MAX_PROBLEMS = 50;

/** More is not collected. */
const MAX_FINDINGS = 5_000;

/** What keeps a document from being published; empty when nothing does. */
export async function checkDocument({ value, lineOf }: ReadDocument): Promise<DeployProblem[]> {
  const version = versionOf(value);
  const findings =
    typeof version === 'object'
      ? [version]
      : firstOf(await schemaProblems(value), referenceProblems(value), pathProblems(value));
  const unique = [...new Map(findings.map((one) => [`${one.path} ${one.message}`, one])).values()];
  const problems = unique
    .slice(0, MAX_PROBLEMS)
    .map(({ message, path, hint }) => ({
      message: [message, hint?.(lineOf)].filter(Boolean).join(' '),
      path,
      line: lineOf(fromPointer(path)),
    }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const more = unique.length - problems.length;
  if (more <= 0) return problems;
  const count = findings.length < MAX_FINDINGS ? `${more} more` : 'thousands of other';
  return [
    ...problems,
    { message: `And ${count} problems of the same document.`, path: '', line: null },
  ];
}

/** The first findings, in their order, and no more than are counted. */
function firstOf(...finders: readonly Iterable<Finding>[]): Finding[] {
  const first: Finding[] = [];
  for (const findings of finders) {
    for (const finding of findings) {
      if (first.length === MAX_FINDINGS) return first;
      first.push(finding);
    }
  }
  return first;
}
