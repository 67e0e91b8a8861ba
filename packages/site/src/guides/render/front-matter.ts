import { LineCounter, parseDocument } from 'yaml';
import { yamlProblem } from '../../syntax/yaml-problem.ts';
import { matterText, NO_SETTINGS, type PageSettings, pageSettings } from '../page-settings.ts';

interface FrontMatter {
  readonly title: string | undefined;
  readonly description: string;
  readonly settings: PageSettings;
  /** The rest of the text, after as many empty lines as were removed, so that lines keep their numbers. */
  readonly markdown: string;
  readonly problems: readonly { readonly message: string; readonly line: number }[];
}

/** The YAML without its last line break: that of Windows would be a part of the last value. */
const BLOCK = /^---[ \t]*\r?\n([\s\S]*?)(?:(?<=\n)|\r?\n)---[ \t]*(?:\r?\n|$)/;

/** The most bytes of YAML before a page. */
const MAX_SIZE = 16 * 1024;

/** Removes the YAML at a page's beginning, of which `title`, `description` and the page's settings are used. */
export function readFrontMatter(text: string): FrontMatter {
  const [block, yaml] = BLOCK.exec(text.slice(0, MAX_SIZE)) ?? [];
  if (block === undefined || yaml === undefined) {
    return {
      ...{ title: undefined, description: '', settings: NO_SETTINGS },
      ...{ markdown: text, problems: [] },
    };
  }
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false });
  // The first line is the one with the dashes.
  const lineAt = (offset: number) => lines.linePos(offset).line + 1;
  const problem = yamlProblem(document, { text: yaml, lineAt });
  const problems = problem ? [problem] : [];
  const textOf = (key: string) => (problems.length === 0 ? matterText(document, key) : undefined);
  return {
    title: textOf('title'),
    description: textOf('description') ?? '',
    settings: problems.length === 0 ? pageSettings(document) : NO_SETTINGS,
    markdown: '\n'.repeat(block.split('\n').length - 1) + text.slice(block.length),
    problems,
  };
}

/** The text after the YAML at a page's beginning. */
export const withoutFrontMatter = (text: string): string => readFrontMatter(text).markdown;
