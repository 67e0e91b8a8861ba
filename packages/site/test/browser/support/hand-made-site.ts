import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Html, html } from '@petstore/http/html.ts';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import type { OperationSummary } from '../../../src/openapi/openapi-types.ts';
import type { ReferenceAddresses, TagAddress } from '../../../src/reference/addresses.ts';
import { NO_SOURCE_LINKS } from '../../../src/repository/source-links.ts';
import { siteAssets } from '../../../src/site/assets.ts';
import type { SiteFrame } from '../../../src/site/frame.ts';
import type { SiteGroup } from '../../../src/site/navigation.ts';
import { commonFiles, type LayoutPage, pageHtml } from '../../../src/site/page-layout.ts';
import { sitePolicy } from '../../../src/site/policy.ts';
import { READERS_PATH } from '../../../src/site/readers/readers-format.ts';
import { navigationFile } from '../../../src/site/sidebar.ts';
import { type SiteFile, TYPES } from '../../../src/site/site-files.ts';

// A site whose frame is real and whose content is a few lines, so that a test sees what the frame's script does alone.

function operation(method: string, operationId: string, title: string): OperationSummary {
  const path = `/${operationId}`;
  const rest = { tag: undefined, description: '', deprecated: false, anchor: '', isWebhook: false };
  return { id: operationId, operationId, method, path, title, ...rest };
}

function tag(title: string, operations: readonly OperationSummary[]): TagAddress {
  const path = `/reference/${title.toLowerCase()}`;
  return {
    name: title,
    title,
    description: '',
    path,
    operations,
    group: undefined,
    parent: undefined,
    children: [],
  };
}

const PETS = tag('Pets', [
  operation('GET', 'listPets', 'List animals'),
  operation('POST', 'createPet', 'Add an animal'),
  operation('DELETE', 'deletePet', 'Remove an animal'),
]);
const STORE = tag('Store', [operation('GET', 'listOrders', 'List orders')]);
/** As large a tag as there are. */
const MANY = tag(
  'Many',
  Array.from({ length: 1_500 }, (_, at) => operation('GET', `many${at}`, `Operation ${at}`)),
);
const TAGS = [PETS, STORE, MANY];

const pathOf = (one: OperationSummary) =>
  `${TAGS.find(({ operations }) => operations.includes(one))?.path}/${one.id}`;

const REFERENCE: ReferenceAddresses = {
  address: undefined,
  overview: '/reference',
  tags: TAGS,
  webhooks: undefined,
  modelsPath: undefined,
  models: [],
  operation: pathOf,
  operationById: () => undefined,
  model: () => undefined,
};

const GUIDES = ['Start', 'Errors'].map((title) => ({ title, path: `/${title.toLowerCase()}` }));

const NO_TITLE = { title: undefined, icon: undefined };

const GUIDE_GROUP: SiteGroup = {
  ...{ kind: 'group', title: 'Guides', icon: undefined, page: undefined },
  entries: GUIDES.map((guide) => ({ ...guide, kind: 'page', icon: undefined })),
};

function layoutPage(
  path: string,
  title: string,
  content: Html,
  given: Partial<LayoutPage> = {},
): LayoutPage {
  return {
    place: { path, part: path.startsWith('/reference') ? 'reference' : 'guides' },
    title,
    description: `About ${title}.`,
    crumbs: [],
    content: html`<h1>${title}</h1>${content}`,
    kind: 'ref',
    previous: undefined,
    next: undefined,
    ...given,
  };
}

const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, at) => html`<p>Paragraph ${at} of a long text.</p>`);

function operationPage(path: string, { method, title }: OperationSummary): LayoutPage {
  const content = html`<p>${method}</p><div class="code-box"><div class="code-head"><span>json</span></div><pre tabindex="0"><code>{"of":"${title}"}</code></pre></div>${paragraphs(60)}<h2 id="responses">Responses</h2><p><a href="#404">What is not found</a></p>${paragraphs(60)}<details id="404" class="ref-box"><summary>404</summary><p>Not found.</p></details>${paragraphs(60)}`;
  return layoutPage(path, title, content);
}

function* pages(): Generator<LayoutPage> {
  yield layoutPage('/reference', 'Introduction', html`<p>All of it.</p>`);
  for (const { path, title, operations } of TAGS) {
    yield layoutPage(path, title, html`<p>The operations of ${title}.</p>`);
    for (const one of operations.filter((_, at) => at < 3 || at === 1_400))
      yield operationPage(pathOf(one), one);
  }
  for (const { path, title } of GUIDES) {
    const content = html`<p>See <a href="/reference/pets/listPets#responses">the responses</a>, <a href="/openapi.json">the document</a> and <a href="/gone">a page that is gone</a>.</p><h2 id="first">First</h2>${paragraphs(30)}<h2 id="second">Second</h2>${paragraphs(30)}`;
    const beside = html`<aside class="docs-toc" aria-label="On this page"><ul><li class="toc-2"><a href="#first">First</a></li><li class="toc-2"><a href="#second">Second</a></li></ul></aside>`;
    yield layoutPage(path, title, content, { kind: 'guide', beside });
  }
}

async function files(): Promise<SiteFile[]> {
  const assets = await siteAssets();
  const frame: SiteFrame = {
    title: 'Petstore',
    logo: undefined,
    links: [
      { title: 'Guides', path: '/start' },
      { title: 'API reference', path: '/reference' },
    ],
    tabs: [{ ...NO_TITLE, href: '/start', part: 'guides', entries: [GUIDE_GROUP] }],
    references: [{ title: 'Petstore', addresses: REFERENCE }],
    isServedByApi: false,
    hasFeedback: false,
    source: NO_SOURCE_LINKS,
    assets,
    theme: {
      accent: undefined,
      style: undefined,
      ownStyle: undefined,
      fonts: [],
      preloaded: undefined,
    },
    previews: undefined,
    favicon: undefined,
    announcement: undefined,
    headerLinks: [],
    footerLinks: [],
    hasChangelog: false,
  };
  const anchors = { 'tag/pets/GET/listPets': '/reference/pets/listPets' };
  return [
    ...assets.files,
    ...commonFiles(frame),
    navigationFile(REFERENCE),
    { path: '/_site/anchors.json', type: TYPES.json, content: JSON.stringify(anchors) },
    { path: '/openapi.json', type: TYPES.json, content: '{}' },
    ...[...pages()].map((page) => ({
      path: page.place.path,
      type: TYPES.html,
      content: pageHtml(frame, page),
    })),
  ];
}

export interface HandMadeSite {
  readonly origin: string;
  /** The files that are served, by path. A test may change them. */
  readonly served: Map<string, SiteFile>;
}

/** Serves the site until the test ends. */
export async function serveHandMadeSite(t: Ending): Promise<HandMadeSite> {
  const served = new Map((await files()).map((file) => [file.path, file]));
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    if (pathname === READERS_PATH) return response.writeHead(204).end();
    const file = served.get(pathname) ?? served.get('/404.html');
    response.writeHead(served.has(pathname) ? 200 : 404, {
      'content-type': file?.type,
      'content-security-policy': sitePolicy([]),
    });
    response.end(file?.content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, async () => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, served };
}
