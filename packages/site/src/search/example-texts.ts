import { isObject } from '../openapi/openapi-types.ts';

/** How many texts of an operation's examples are found, and how long each may be: longer ones are no names. */
const MAX_TEXTS = 60;
const MAX_TEXT = 80;

/** How many values of examples are looked at. */
const MAX_LOOKS = 2_000;

/** The texts in examples, each once. */
export function exampleTexts(examples: readonly unknown[]): string[] {
  const texts = new Set<string>();
  const waiting = examples.toReversed();
  for (let looks = 0; looks < MAX_LOOKS && texts.size < MAX_TEXTS; looks += 1) {
    if (waiting.length === 0) break;
    const next = waiting.pop();
    if (typeof next === 'string' && next.length <= MAX_TEXT && !isAddress(next)) texts.add(next);
    const members = Array.isArray(next) ? next : isObject(next) ? Object.values(next) : [];
    // A list of very many is never put aside whole.
    waiting.push(...members.slice(0, MAX_TEXTS).reverse());
  }
  return [...texts];
}

/** Nobody looks for an address of an example by its words, which are those of every other. */
const isAddress = (text: string) => /^[a-z]+:\/\//i.test(text);
