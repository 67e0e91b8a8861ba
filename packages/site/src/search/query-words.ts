import { wordsOf } from './terms.ts';

/** Words that readers put around what they look for. */
const LITTLE = new Set(
  [
    'a an the this that some any my your our new please',
    'how what where which when who do does did can could should would will is are be i we you me it want need to',
    'of for in on at by from with into and or using via',
  ].flatMap((words) => words.split(' ')),
);

/** What an API is asked to do, each time in the words of different authors. */
const VERBS = [
  'create add make insert register',
  'delete remove destroy erase',
  'update change edit modify patch set',
  'get fetch retrieve read list show view find',
  'upload attach import',
].map((words) => words.split(' '));

const VERBS_LIKE = new Map(
  VERBS.flatMap((alike) =>
    alike.map((verb) => [verb, alike.filter((other) => other !== verb)] as const),
  ),
);

const FIRST_OF = new Map(
  VERBS.flatMap(([first = '', ...others]) => others.map((one) => [one, first])),
);

/** Whether a folded word says nothing of what is looked for, where there are others. */
export const isLittle = (word: string): boolean => LITTLE.has(word);

/** Other verbs for the same as this one, folded; none for any other word. */
export const verbsLike = (word: string): readonly string[] => VERBS_LIKE.get(word) ?? [];

/** What a title or a query means: `make a new project` and `Create a project` are the same. Empty for few words. */
export function meaningOf(folded: string): string {
  const words = wordsOf(folded).filter((word) => !isLittle(word));
  if (words.length < 2) return '';
  return words.map((word, at) => (at === 0 ? (FIRST_OF.get(word) ?? word) : word)).join(' ');
}
