import { fromPointer } from '@petstore/site/syntax/source.ts';

/** What each section of shared parts has, for a sentence. */
const SHARED: Readonly<Record<string, string>> = {
  schemas: 'model',
  responses: 'shared response',
  parameters: 'shared parameter',
  requestBodies: 'shared request body',
  headers: 'shared header',
  examples: 'shared example',
  callbacks: 'shared callback',
  pathItems: 'shared path',
};

/** A place among the components, in the middle of a sentence: `property \`owner.name\` of model \`Pet\``. */
export function placeInWords(pointer: string): string {
  const [first, section = '', name, ...rest] = fromPointer(pointer);
  if (first !== 'components' || name === undefined) return first ? `\`${first}\`` : 'the document';
  const holder = `${SHARED[section] ?? 'shared part'} \`${name}\``;
  const path: string[] = [];
  for (let at = 0; at < rest.length - 1; at += 1) {
    if (rest[at] === 'properties') path.push(rest[at + 1] ?? '');
    if (rest[at] === 'items') path.push('[]');
    if (rest[at] === 'properties') at += 1;
  }
  if (path.length === 0) return holder;
  return `property \`${path.join('.').replaceAll('.[]', '[]')}\` of ${holder}`;
}
