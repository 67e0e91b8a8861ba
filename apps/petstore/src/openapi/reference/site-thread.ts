import { parentPort, workerData } from 'node:worker_threads';
import type { OpenApiDocument } from '@petstore/site/openapi/openapi-types.ts';
import { listOperations } from '@petstore/site/openapi/operations.ts';
import { plainText } from '@petstore/site/openapi/plain-text.ts';
import { documentSite } from '@petstore/site/reference/document-site.ts';
import { bytesOf } from '@petstore/site/site/file-bytes.ts';
import type { BuiltSite, SiteFile } from '@petstore/site/site/site-files.ts';

// The thread that makes the reference's pages of a document. It takes half a second, during which the thread that
// serves requests would stand still, and what it loads goes with it.

export interface WantedSite {
  readonly document: OpenApiDocument;
  /** Where everyone finds the pages; undefined where it is not known. */
  readonly origin: string | undefined;
}

/** A site whose files have all been made. */
export type MadeSite = Omit<BuiltSite, 'files'> & { readonly files: readonly MadeFile[] };

type MadeFile = SiteFile & { readonly content: string | Uint8Array };

const made = (file: SiteFile): MadeFile => ({
  ...file,
  content: typeof file.content === 'string' ? file.content : bytesOf(file),
});

const { document, origin } = workerData as WantedSite;
const operations = listOperations(document, plainText());
const placeOf = (pointer: string) => ({ file: '', pointer, line: null });
const site = await documentSite(
  { syntax: 'JSON', document, upgraded: document, operations, placeOf },
  () => {},
  {
    overview: '/reference',
    links: [
      { title: 'Reference', path: '/reference' },
      { title: 'Errors', path: '/errors' },
    ],
    isServedByApi: true,
    origin,
    downloads: { json: '/v1/openapi.json', yaml: '/v1/openapi.yaml' },
  },
);
parentPort?.postMessage({ ...site, files: [...site.files].map(made) } satisfies MadeSite);
