import type { Node } from 'yaml';
import type { Finding, SourceFiles } from '../build-log.ts';
import type { ConfigReader } from './config-reader.ts';
import { isMarkdown } from './links/site-paths.ts';

/** Texts by their names. */
export type Variables = ReadonlyMap<string, string>;

const MAX_VARIABLES = 200;
const MAX_TEXT = 1_000;

const NAME = /^[A-Za-z][\w-]*$/;

/** A use of a variable: `{{name}}`. */
const USE = /\{\{[ \t]*([A-Za-z][\w-]*)[ \t]*\}\}/g;

/** `variables`: names with their texts, each of one line. */
export function variablesOf(reader: ConfigReader, node: Node | undefined): Variables {
  const entries = node ? reader.entries(node, '`variables`') : [];
  if (entries.length > MAX_VARIABLES)
    reader.problem(`\`variables\` has more than ${MAX_VARIABLES}.`, entries[MAX_VARIABLES]?.key);
  const variables = new Map<string, string>();
  for (const { key, value } of entries.slice(0, MAX_VARIABLES)) {
    const name = reader.text(key, 'The name of a variable', 100);
    const text = reader.text(value, `The variable \`${name}\``, MAX_TEXT);
    if (name !== '' && !NAME.test(name))
      reader.problem(
        `The name of a variable has letters, digits, \`-\` and \`_\`, and begins with a letter, unlike \`${name}\`.`,
        key,
      );
    // Lines of pages keep their numbers.
    if (/[\r\n]/.test(text)) reader.problem(`The variable \`${name}\` must be one line.`, value);
    variables.set(name, text);
  }
  return variables;
}

/** The files with the variables of their pages replaced, in code too. */
export function withVariables(files: SourceFiles, variables: Variables): SourceFiles {
  if (variables.size === 0) return files;
  return new Map(
    [...files].map(([file, bytes]) => {
      const text = isMarkdown(file) ? textOf(bytes) : undefined;
      const replaced = text?.replace(USE, (use, name) => variables.get(name) ?? use);
      return [file, replaced === undefined || replaced === text ? bytes : Buffer.from(replaced)];
    }),
  );
}

/** Uses of variables that a configuration with some does not have, which pages show as they are. */
export function unknownVariables(
  files: SourceFiles,
  variables: Variables,
  didYouMean: (word: string, candidates: Iterable<string>) => string,
): Finding[] {
  if (variables.size === 0) return [];
  return [...files].flatMap(([file, bytes]) => {
    const lines = isMarkdown(file) ? (textOf(bytes) ?? '').split('\n') : [];
    let isDiagram = false;
    return lines.flatMap((line, at) => {
      const [, language] = /^\s*(?:`{3,}|~{3,})(\w*)/.exec(line) ?? [];
      if (language !== undefined) isDiagram = language === 'mermaid';
      // There, a name in such braces is a hexagon.
      if (isDiagram) return [];
      return [...line.matchAll(USE)].flatMap(([use, name = '']): Finding[] => {
        if (variables.has(name)) return [];
        const message = `There is no variable \`${name}\`, so \`${use}\` is shown as it is${didYouMean(name, variables.keys())}`;
        return [{ rule: 'markdown', message, file, path: '', line: at + 1 }];
      });
    });
  });
}

/** undefined for what is not UTF-8, which rendering refuses. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
