import { type ExampleChoice, withChoice } from '../src/request/choose-example.ts';
import type { OperationData } from '../src/request/operation-data.ts';
import type { SampleLanguage } from '../src/samples/languages.ts';
import { snippet } from '../src/samples/snippet.ts';
import { codeClass, tokensOf } from '../src/samples/tokens.ts';

/** An operation's example in a language, as the content of a `code` element. */
export function snippetNodes(data: OperationData, language: string, choice: ExampleChoice): Node[] {
  const text = snippet(withChoice(data, choice), language as SampleLanguage, location.origin);
  return tokensOf(text, language).map(([part, kind]) => {
    if (kind === undefined) return new Text(part);
    const span = document.createElement('span');
    span.className = codeClass(kind);
    span.textContent = part;
    return span;
  });
}
