import { type Html, html } from '@petstore/http/html.ts';

/** In letters: the shortest word that may be wider than a phone's screen, or than its column. */
const LONG = /\S{16}/;

/** Between a small letter and a capital, before the last capital of an abbreviation, and after a mark. */
const BREAKS =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=[_./:])(?=[\p{L}\p{N}])/u;

/** A name in which long words break where their parts begin: `AddCustomField<wbr>Setting`. */
export function wordBreaks(name: string): Html {
  const [first = '', ...others] = breakable(name);
  return html`${first}${others.map((part) => html`<wbr>${part}`)}`;
}

/** A name in parts, between which it may break; whole where no word in it is long. */
export const breakable = (name: string): string[] =>
  LONG.test(name) ? name.split(BREAKS) : [name];
