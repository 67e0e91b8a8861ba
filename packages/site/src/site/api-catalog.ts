import { isObject, textOf } from '../openapi/openapi-types.ts';
import { firstServer } from '../openapi/servers.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { hrefOf, type SiteFile, TYPES } from './site-files.ts';

const PROFILE = 'https://www.rfc-editor.org/info/rfc9727';

/** RFC 9727, section 4.2. */
const TYPE = `application/linkset+json; profile="${PROFILE}"`;

/** `/.well-known/api-catalog` (RFC 9727): where a program finds the APIs and what describes each. A template. */
export function apiCatalogFile(references: readonly ReferenceContext[]): SiteFile {
  const servers = Map.groupBy(references, serverOf);
  const apis = references.map((reference) => {
    const { addresses, downloads } = reference;
    const page = site(addresses.overview);
    const server = serverOf(reference);
    // Without a server that is its own alone, an API is named by its reference.
    const isOwn = server !== undefined && servers.get(server)?.length === 1;
    return { api: isOwn ? server : page, page, title: titleOf(reference), downloads };
  });
  const catalog = site('/.well-known/api-catalog');
  const linkset = [
    {
      anchor: catalog,
      profile: [{ href: PROFILE }],
      item: apis.map(({ api, title }) => ({ href: api, title })),
    },
    ...apis.map(({ api, page, downloads }) => ({
      anchor: api,
      'service-desc': [
        { href: site(downloads.json), type: TYPES.json, title: 'OpenAPI document, JSON' },
        { href: site(downloads.yaml), type: TYPES.yaml, title: 'OpenAPI document, YAML' },
      ],
      'service-doc': [{ href: page, type: 'text/html', title: 'Reference' }],
      'service-meta': [{ href: site('/llms.txt'), type: 'text/markdown', title: 'All pages' }],
    })),
  ];
  const content = `${JSON.stringify({ linkset }, null, 2)}\n`;
  return { path: '/.well-known/api-catalog', type: TYPE, content, template: true };
}

function titleOf({ document: { info }, addresses, title }: ReferenceContext): string {
  if (addresses.address !== undefined) return title;
  return (isObject(info) && textOf(info.title)) || 'API';
}

function serverOf({ document }: ReferenceContext): string | undefined {
  const server = firstServer(document);
  return /^https?:\/\//i.test(server) && URL.canParse(server) ? server : undefined;
}

const site = (path: string) => `{{origin}}${hrefOf(path)}`;
