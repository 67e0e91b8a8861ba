import assert from 'node:assert/strict';
import { reservedPaths } from '../../src/guides/links/site-paths.ts';
import { descriptions } from '../../src/markdown/descriptions.ts';
import { markdownFiles } from '../../src/markdown/markdown-files.ts';
import { readCheckedDocument } from '../../src/openapi/checked-document.ts';
import { referenceAddresses } from '../../src/reference/addresses.ts';
import { descriptionLinks } from '../../src/reference/description-links.ts';
import type { ReferenceContext } from '../../src/reference/reference-context.ts';

/** What the pages of a document are made with. Parts that every document has may be left out. */
export async function contextOf(document: object, overview = '/reference') {
  const info = { title: 'Pets', version: '1' };
  const text = JSON.stringify({ openapi: '3.1.0', info, paths: {}, ...document });
  const checked = await readCheckedDocument(Buffer.from(text), 'openapi.json', () => {});
  if (!('upgraded' in checked)) throw new Error(JSON.stringify(checked.problems));
  const warn = () => {};
  const addresses = referenceAddresses(checked, overview);
  const resolveLink = descriptionLinks(checked, addresses, {
    ...{ own: new Set(['/', ...reservedPaths([{}])]), others: new Set(['/guide']) },
  });
  const context: ReferenceContext = {
    checked,
    document: checked.upgraded,
    addresses,
    descriptions: descriptions({ warn, resolveLink }),
    ...{ title: 'Pets', about: '', share: 1 },
    downloads: { json: '/openapi.json', yaml: '/openapi.yaml' },
    warn,
  };
  return context;
}

/** The Markdown of a document's page. */
export async function markdownOf(document: object, path: string): Promise<string> {
  const files = markdownFiles(await contextOf(document));
  const file = files.find((one) => one.path === path);
  assert.ok(file, `${path} is not in ${files.map((one) => one.path).join(' ')}`);
  return String(file.content);
}
