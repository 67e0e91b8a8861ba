/** No style that people write has more. The parser of styles, which is no JavaScript, ends the process at some 1,000. */
const MAX_LEVELS = 200;

/** Comments, strings and escapes, in which brackets mean nothing; brackets. */
const PARTS =
  /\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|\\[\s\S]|[[({\])}]/g;

const OPENER: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/**
 * The line of a style, counted from 1, where brackets are nested too deeply; undefined for none. It never takes a style
 * for flatter than it is.
 */
export function lineNestedTooDeeply(style: string): number | undefined {
  const open: string[] = [];
  // In an address without quotes, what looks like a comment or a string is none, and ends with the address.
  let maybeOpen = 0;
  for (const { 0: part, index } of style.matchAll(PARTS)) {
    const opener = OPENER[part];
    if (part === '(' || part === '[' || part === '{') open.push(part);
    else if (opener === undefined) {
      if (open.at(-1) === '(') maybeOpen += part.match(/[[({]/g)?.length ?? 0;
    } else if (open.at(-1) === opener) open.pop();
    if (open.length + maybeOpen > MAX_LEVELS) return style.slice(0, index).split('\n').length;
  }
  return undefined;
}
