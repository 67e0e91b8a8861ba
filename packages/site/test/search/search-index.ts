import { renderPage } from '../../src/guides/render/render-page.ts';
import { readCheckedDocument } from '../../src/openapi/checked-document.ts';
import { plainText } from '../../src/openapi/plain-text.ts';
import { referenceAddresses } from '../../src/reference/addresses.ts';
import type { ReferenceContext } from '../../src/reference/reference-context.ts';
import { titleOf } from '../../src/reference/reference-site.ts';
import { openIndex } from '../../src/search/open-index.ts';
import { search } from '../../src/search/search.ts';
import { searchFiles } from '../../src/search/search-files.ts';
import type { SiteFile } from '../../src/site/site-files.ts';

const TARGETS = { files: new Set<string>(), references: [], sitePaths: new Set<string>() };

/** Guides out of Markdown: `0.md`, `1.md`, … */
export function guides(texts: readonly string[]) {
  return Promise.all(texts.map((text, at) => renderPage(`${at}.md`, Buffer.from(text), TARGETS)));
}

/** What the index of a document is made with. */
export async function referenceOf(document: object): Promise<ReferenceContext> {
  const checked = await readCheckedDocument(
    Buffer.from(JSON.stringify(document)),
    'openapi.json',
    () => {},
  );
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems));
  const plain = plainText();
  return {
    checked,
    document: checked.upgraded,
    addresses: referenceAddresses(checked, '/reference'),
    descriptions: {
      block: () => {
        throw new Error('The search shows no HTML.');
      },
      plain: (text) => plain.of(text),
      linkTo: () => undefined,
    },
    ...{ title: titleOf(checked.upgraded), about: '', share: 1 },
    downloads: { json: '/openapi.json', yaml: '/openapi.yaml' },
    warn: () => {},
  };
}

/** Files of a site as a browser would load them; `loaded` are the paths so far. */
export function loaderOf(files: readonly SiteFile[]) {
  const contents = new Map(files.map(({ path, content }) => [path, String(content)]));
  const loaded: string[] = [];
  return {
    loaded,
    load: async (path: string): Promise<unknown> => {
      loaded.push(path);
      const content = contents.get(path);
      if (content === undefined) throw new Error(`${path} is not there`);
      return JSON.parse(content);
    },
  };
}

/** The search over files, as a function that returns the rows, the best first. */
export async function searcher(files: readonly SiteFile[]) {
  const index = await openIndex(loaderOf(files).load);
  return async (query: string) => (await search(index, query, 20)).rows;
}

/** The search over some guides and a document. */
export async function searcherOf({
  texts = [],
  document,
}: {
  texts?: readonly string[];
  document?: object;
}) {
  const pages = await guides(texts);
  const reference = document === undefined ? undefined : await referenceOf(document);
  return searcher(searchFiles({ pages, references: reference ? [reference] : [] }, () => {}));
}
