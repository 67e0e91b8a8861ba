import type { CompareOptions } from '@petstore/changes/compare-documents.ts';
import { isCode } from '@petstore/changes/exceptions.ts';
import { RULES } from '@petstore/changes/rules.ts';
import { didYouMean } from '@petstore/service/nearest.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { BuildProblem, SourceFiles } from '@petstore/site/build-log.ts';
import type { ChangesConfig } from '@petstore/site/guides/changes-config.ts';
import { type DocumentSource, problemsText } from './read-compared.ts';

/** The documents of a version of a site, and the project's own rules for changes of them. */
export interface VersionSources {
  /** By the address of the reference, where there are several: `payments`. Otherwise by an empty text. */
  readonly sources: ReadonlyMap<string, DocumentSource>;
  readonly rules: Rules;
  /** What is wrong with the rules. */
  readonly problems: readonly BuildProblem[];
}

type Rules = Pick<CompareOptions, 'deprecationDays' | 'exceptions'>;

interface Reading extends Pick<DocumentSource, 'pathOf' | 'mostBytes'> {
  /** What the files are of, in sentences: a folder, an archive. */
  readonly name: string;
  /** The document that is meant, where there is no `docs.yaml`; undefined where the files say it. */
  readonly document?: string | undefined;
}

/**
 * The documents that a folder publishes, as a deploy of it does: those that its `docs.yaml` names, or else the only one.
 * Rejects with UserError where it is not known which one that is, and for a `docs.yaml` that cannot be read.
 */
export async function folderSources(
  files: SourceFiles,
  { name: folder, document, pathOf, mostBytes }: Reading,
): Promise<VersionSources> {
  // Loaded here: a document alone needs none of it.
  const { configFile, readDocsConfig } = await import('@petstore/site/guides/docs-config.ts');
  const { defaultDocument } = await import('@petstore/site/guides/references-config.ts');
  const config = configFile(files);
  if (config === undefined) {
    const name =
      document ?? defaultDocument(files) ?? (await onlyDocument(folder, files, mostBytes));
    const bytes = files.get(name) as Uint8Array;
    const source = { files, name, bytes, overlays: [], pathOf, mostBytes };
    return { sources: new Map([['', source]]), rules: {}, problems: [] };
  }
  const { config: read, problems } = readDocsConfig(files, config);
  if (problems.length > 0) throw new UserError(problemsText(problems, config, pathOf));
  const { withoutIgnored } = await import('@petstore/site/guides/ignored-files.ts');
  const published = withoutIgnored(files, read.ignore);
  const bytesOf = (name: string) => published.get(name) as Uint8Array;
  const sources = read.references.map(({ file, overlays, address = '' }) => {
    const applied = overlays.map((name) => ({ name, bytes: bytesOf(name) }));
    const plain = { files: published, name: file, bytes: bytesOf(file), pathOf, mostBytes };
    return [address, { ...plain, overlays: applied }] as const;
  });
  return { sources: new Map(sources), ...rulesOf(read.changes, config) };
}

/** The rules of a configuration, without exceptions for a code that no change has: these are problems. */
function rulesOf(
  { deprecationDays, exceptions }: ChangesConfig,
  file: string,
): Pick<VersionSources, 'rules' | 'problems'> {
  const problems: BuildProblem[] = [];
  const known = exceptions.flatMap(({ code, line, ...exception }) => {
    if (code === undefined || isCode(code)) return [{ code, ...exception }];
    const near = didYouMean(code, RULES.keys());
    const message = `There is no change with the code \`${code}\`${near}`;
    problems.push({ message, path: file, line });
    return [];
  });
  return { rules: { deprecationDays, exceptions: known }, problems };
}

async function onlyDocument(
  folder: string,
  files: SourceFiles,
  mostBytes: number,
): Promise<string> {
  const { findDocuments } = await import('@petstore/site/openapi/bundle/find-documents.ts');
  const found = findDocuments(files, mostBytes);
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  if (first === undefined)
    throw new UserError(
      `${folder} has no OpenAPI document: a YAML or JSON file with \`openapi\` or \`swagger\` at its top.`,
    );
  throw new UserError(
    `${folder} has ${found.length} OpenAPI documents, such as ${found.slice(0, 3).join(', ')}. Name one of them instead of the folder, or write a docs.yaml with \`openapi: ${first}\`.`,
  );
}
