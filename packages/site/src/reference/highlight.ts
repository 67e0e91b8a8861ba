import { escaped, Html } from '@petstore/http/html.ts';
import { codeClass, tokensOf } from '../samples/tokens.ts';

/** A text as code with colours. Languages that are not known get the colours that most have in common. */
export function highlighted(text: string, language: string): Html {
  const parts = tokensOf(text, language).map(([part, kind]) => {
    const safe = escaped(part);
    return kind === undefined ? safe : `<span class="${codeClass(kind)}">${safe}</span>`;
  });
  return new Html(parts.join(''));
}
