import type { ComparedDocument } from '@petstore/changes/api-document.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { readCompared } from '../../deploys/changes/read-compared.ts';
import { DEPLOY_LIMITS } from '../../deploys/deploy-limits.ts';
import { download } from './download.ts';
import type { Version } from './version.ts';

/** A document in JSON is longer than it was in YAML: as much as an archive may have. */
const MOST_BYTES = DEPLOY_LIMITS.unpackedBytes;

/** Where a site says which documents it has (RFC 9727). */
const CATALOG = '/.well-known/api-catalog';

/**
 * Reads the documents of a site, by its address or a deploy's own: `https://petstore.docs.example.com`. Rejects with
 * UserError where none can be read there.
 */
export async function readSite(address: string): Promise<Version> {
  const base = address.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  const catalog = await download(`${base}${CATALOG}`, MOST_BYTES);
  if (catalog === undefined)
    throw new UserError(
      `${base} has no list of APIs at ${CATALOG}, as sites of a dashboard with an OpenAPI document have. Check the address; of a document elsewhere, download it first.`,
    );
  const documents = new Map<string, ComparedDocument>();
  for (const path of documentPaths(catalog, base)) {
    const url = new URL(path, base).href;
    const bytes = await download(url, MOST_BYTES);
    if (!bytes) throw new UserError(`${url} is listed at ${base}${CATALOG}, and is not there.`);
    const [, reference = ''] = /\/reference\/([^/]+)\/openapi\.json$/.exec(path) ?? [];
    const { document } = await readCompared({
      ...{ files: undefined, name: url, bytes, overlays: [], mostBytes: MOST_BYTES },
      pathOf: (file) => file,
    });
    documents.set(decodeURIComponent(reference), document);
  }
  return { path: base, isFile: false, documents, rules: {}, notes: [] };
}

interface Link {
  readonly href?: unknown;
  readonly type?: unknown;
}

/** The paths of the documents in JSON, which a catalog lists. */
function documentPaths(catalog: Uint8Array, base: string): string[] {
  try {
    const { linkset } = JSON.parse(Buffer.from(catalog).toString()) as {
      linkset: readonly { readonly 'service-desc'?: readonly Link[] }[];
    };
    const links = linkset.flatMap((context) => context['service-desc'] ?? []);
    return links.flatMap(({ href }) => {
      const { pathname } = new URL(String(href), base);
      return pathname.endsWith('/openapi.json') ? [pathname] : [];
    });
  } catch {
    throw new UserError(`${base}${CATALOG} is no list of APIs (RFC 9727).`);
  }
}
