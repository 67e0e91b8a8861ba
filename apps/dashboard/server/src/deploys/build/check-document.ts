import type { DeployProblem } from '../artifact.ts';
import { fromPointer } from './json-pointer.ts';
import { pathProblems } from './path-problems.ts';
import type { ReadDocument } from './read-document.ts';
import { referenceProblems } from './references.ts';
import { schemaProblems } from './schema-problems.ts';
import { versionOf } from './version.ts';

/** More would not be read; the rest is counted. */
const MAX_PROBLEMS = 50;

/** What keeps a document from being published; empty when nothing does. */
export async function checkDocument({ value, lineOf }: ReadDocument): Promise<DeployProblem[]> {
  const version = versionOf(value);
  const findings =
    typeof version === 'object'
      ? [version]
      : [...(await schemaProblems(value)), ...referenceProblems(value), ...pathProblems(value)];
  const unique = [...new Map(findings.map((one) => [`${one.path} ${one.message}`, one])).values()];
  const problems = unique
    .slice(0, MAX_PROBLEMS)
    .map(({ message, path }) => ({ message, path, line: lineOf(fromPointer(path)) }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const more = unique.length - problems.length;
  return more > 0
    ? [
        ...problems,
        { message: `And ${more} more problems of the same document.`, path: '', line: null },
      ]
    : problems;
}
