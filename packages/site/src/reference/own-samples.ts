import { prefix } from '@petstore/service/text.ts';
import { isObject, textOf } from '../openapi/openapi-types.ts';
import { SAMPLE_LANGUAGES } from '../samples/languages.ts';
import { MAX_TEXT } from './examples/examples.ts';
import type { ReferenceContext } from './reference-context.ts';

/** A sample that the document has (`x-codeSamples`). */
export interface OwnSample {
  /** As in `SAMPLE_LANGUAGES` where it is one of those; otherwise in small letters. */
  readonly language: string;
  readonly title: string;
  readonly source: string;
}

const MAX_SAMPLES = 20;

/** Other names of languages. */
const IDS: ReadonlyMap<string, string> = new Map([
  ['js', 'javascript'],
  ['node.js', 'node'],
  ['nodejs', 'node'],
  ['c#', 'csharp'],
  ['golang', 'go'],
  ['py', 'python'],
  ['rb', 'ruby'],
  ['ts', 'typescript'],
  ['shell', 'curl'],
  ['bash', 'curl'],
  ['sh', 'curl'],
]);

const TITLES: ReadonlyMap<string, string> = new Map(Object.entries(SAMPLE_LANGUAGES));

/** The samples of an operation's own, in the document's order. */
export function ownSamples(
  context: ReferenceContext,
  operation: Record<string, unknown>,
  place: string,
): readonly OwnSample[] {
  const given = operation['x-codeSamples'] ?? operation['x-code-samples'];
  const all = (Array.isArray(given) ? given : []).filter(isObject);
  if (all.length > MAX_SAMPLES) {
    context.warn(`The first ${MAX_SAMPLES} of ${all.length} code samples are shown.`, place);
  }
  return all.slice(0, MAX_SAMPLES).flatMap(({ lang, label, source }, at) => {
    const name = prefix(textOf(lang).trim(), 40);
    const text = textOf(source).trim();
    if (text === '') return [];
    if (text.length > MAX_TEXT) {
      context.warn(
        `The code sample is longer than ${MAX_TEXT.toLocaleString('en')} characters: it was cut there.`,
        `${place}/${at}`,
      );
    }
    const language = IDS.get(name.toLowerCase()) ?? name.toLowerCase();
    const title = prefix(textOf(label).trim(), 60) || TITLES.get(language) || name || 'Code';
    const shown = text.length > MAX_TEXT ? `${prefix(text, MAX_TEXT)}\n…` : text;
    return [{ language, title, source: shown }];
  });
}
