import { isObject, textOf } from '../openapi/openapi-types.ts';
import { firstServer } from '../openapi/servers.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { hrefOf, type SiteFile, TYPES } from './site-files.ts';

const PROFILE = 'https://www.rfc-editor.org/info/rfc9727';

/** RFC 9727, section 4.2. */
const TYPE = `application/linkset+json; profile="${PROFILE}"`;

/** `/.well-known/api-catalog` (RFC 9727): where a program finds the API and what describes it. A template. */
export function apiCatalogFile({ document, addresses, downloads }: ReferenceContext): SiteFile {
  const { info } = document;
  const title = (isObject(info) && textOf(info.title)) || 'API';
  const server = firstServer(document);
  const reference = site(addresses.overview);
  // Without a server of its own, the API is named by its reference.
  const api = /^https?:\/\//i.test(server) && URL.canParse(server) ? server : reference;
  const catalog = site('/.well-known/api-catalog');
  const linkset = [
    { anchor: catalog, profile: [{ href: PROFILE }], item: [{ href: api, title }] },
    {
      anchor: api,
      'service-desc': [
        { href: site(downloads.json), type: TYPES.json, title: 'OpenAPI document, JSON' },
        { href: site(downloads.yaml), type: TYPES.yaml, title: 'OpenAPI document, YAML' },
      ],
      'service-doc': [{ href: reference, type: 'text/html', title: 'Reference' }],
      'service-meta': [{ href: site('/llms.txt'), type: 'text/markdown', title: 'All pages' }],
    },
  ];
  const content = `${JSON.stringify({ linkset }, null, 2)}\n`;
  return { path: '/.well-known/api-catalog', type: TYPE, content, template: true };
}

const site = (path: string) => `{{origin}}${hrefOf(path)}`;
