import { openIndex } from '@petstore/site/search/open-index.ts';
import { type SearchRow, search } from '@petstore/site/search/search.ts';
import { rootOf, type SiteReader } from './site-reader.ts';
import { ToolError } from './tool-error.ts';

export const MAX_RESULTS = 10;

/** Of several APIs, many may have an operation with the same path. */
const MAX_OF_ALL = 60;

/** Memory of a parsed file of the index, for each byte of it: measured, rounded up. */
const PARSED_FACTOR = 6;

export interface SearchResult {
  readonly kind: string;
  readonly title: string;
  readonly address: string;
  /** Of an operation or a webhook. */
  readonly method?: string;
  /** The path of an operation, or in words where the result stands. */
  readonly context: string;
  readonly excerpt: string;
  /** The address of the API that it is of, where the site has several. */
  readonly api?: string;
  readonly deprecated?: true;
}

/** The results of the site's own search, the best first. Throws ToolError where the site has none. */
export async function searchSite(
  reader: SiteReader,
  query: string,
  limit = MAX_RESULTS,
): Promise<{ total: number; results: SearchResult[] }> {
  const { rows, total } = await rowsOf(reader, query, limit);
  return { total, results: rows.map((row) => resultOf(row, reader)) };
}

/** The address of the page of an operation; undefined where it is not found. */
export async function operationPage(
  reader: SiteReader,
  method: string,
  path: string,
  api: string | undefined,
): Promise<string | undefined> {
  const { rows } = await rowsOf(reader, path, api === undefined ? MAX_RESULTS : MAX_OF_ALL);
  const found = rows.find(
    (row) => row.method === method && row.context === path && row.api?.address === api,
  );
  return found && addressOfRow(reader, found);
}

async function rowsOf(reader: SiteReader, query: string, limit: number) {
  const load = async (path: string) => {
    const file = await reader.derived(
      path,
      parsedFile,
      (_file, { length }) => length * PARSED_FACTOR,
    );
    if (!file) throw noIndex();
    return file.content;
  };
  return search(await openIndex(load), query, limit);
}

/** The start page of a version is at its prefix itself. */
const addressOfRow = ({ site }: SiteReader, { href }: Pick<SearchRow, 'href'>): string =>
  rootOf(site) + (site.base === undefined ? href : href.replace(/^\/(?=$|#)/, ''));

const parsedFile = (bytes: Buffer) => ({ content: JSON.parse(bytes.toString()) as unknown });

function noIndex(): ToolError {
  return new ToolError(
    'This site has no search: it was built by an earlier version. Read /llms.txt with read_page, which lists its pages.',
  );
}

function resultOf(
  { kind, title, href, context, method, isDeprecated, api, excerpt }: SearchRow,
  reader: SiteReader,
): SearchResult {
  return {
    kind: kind === 'place' ? 'parameter or property' : kind,
    title,
    address: addressOfRow(reader, { href }),
    ...(method !== '' && { method }),
    context,
    excerpt,
    ...(api && { api: api.address }),
    ...(isDeprecated && { deprecated: true }),
  };
}
