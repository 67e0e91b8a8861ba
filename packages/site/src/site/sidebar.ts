import { type Html, html } from '@petstore/http/html.ts';
import type { OperationSummary } from '../openapi/openapi-types.ts';
import {
  REFERENCE_LIST,
  type ReferenceAddresses,
  type TagAddress,
  tagWay,
} from '../reference/addresses.ts';
import {
  changelogLink,
  hasTabs,
  type ListedReference,
  outsideLink,
  type Place,
  type SiteFrame,
  type SiteLink,
  tabItems,
  tabOf,
} from './frame.ts';
import { guideList } from './guide-list.ts';
import { hrefOf, type SiteFile, TYPES } from './site-files.ts';

/**
 * The list of a site's pages, which the header's button opens on a narrow screen. Of a reference, the page has the
 * operations of its own tag alone, so that its weight does not grow with the document; a script fetches the others.
 */
export function sidebar(frame: SiteFrame, place: Place): Html {
  const { references, tabs } = frame;
  const isTabbed = hasTabs(frame);
  const listed = tabOf(frame, place) ?? tabs.find(({ entries }) => entries.length > 0);
  const hasGuides = place.part !== 'reference' && listed !== undefined;
  const isOfBoth = place.part === undefined && !isTabbed;
  const hasReference = place.part === 'reference' || isOfBoth || !hasGuides;
  return html`<nav class="docs-nav" id="layout-nav" aria-label="Pages">
${isTabbed ? html`<ul class="docs-nav-tabs">${tabItems(frame, tabOf(frame, place))}</ul>` : ''}${hasGuides ? guideList(tabs, listed, place.path) : ''}${hasReference ? referencesList(references, place) : ''}${otherLinks(frame, place.path, hasGuides)}
</nav>`;
}

/** The operations of the reference that a page is of, and the way to the others; of no single one, all of them. */
function referencesList(references: readonly ListedReference[], place: Place): Html {
  const [first] = references;
  if (first === undefined) return html``;
  const { path, reference } = place;
  const room = roomOf(references);
  if (first.addresses.address === undefined) return referenceList(first.addresses, path, room);
  const own = references.find(({ addresses }) => addresses === reference);
  if (own === undefined) return html`<ul>${apiLinks(references, path)}</ul>`;
  const { title, addresses } = own;
  return html`<details class="nav-apis" data-navigation="${hrefOf(navigationPath(addresses))}"><summary><span>${title}</span></summary>
<ul>${apiLinks(references, addresses.overview)}</ul></details>
${referenceList(addresses, path, room)}`;
}

/** The page that lists all references, and the introduction of each. */
function apiLinks(references: readonly ListedReference[], current: string): Html[] {
  const all = [
    { title: 'All APIs', path: REFERENCE_LIST.path },
    ...references.map(({ title, addresses }) => ({ title, path: addresses.overview })),
  ];
  return all.map((one) => html`<li>${link(one, current)}</li>`);
}

function referenceList(reference: ReferenceAddresses, current: string, room: number): Html {
  const { overview, tags, webhooks, modelsPath } = reference;
  const listed = nearTags(tags, current, room);
  const item = (tag: TagAddress) => tagItem(tag, reference, current, room);
  const groups = [...Map.groupBy(listed, ({ group }) => group)];
  return html`<ul><li>${link({ title: 'Introduction', path: overview }, current)}</li></ul>
${groups.map(
  ([
    group,
    members,
  ]) => html`${group === undefined ? '' : html`<p class="docs-nav-title">${group}</p>`}<ul class="nav-tags">${members.map(item)}</ul>
`,
)}${listed.length < tags.length ? html`<ul><li>${link({ title: `All ${tags.length.toLocaleString('en')} tags`, path: overview }, '')}</li></ul>` : ''}${
  webhooks || modelsPath
    ? html`<ul class="nav-tags">${webhooks ? item(webhooks) : ''}${modelsPath === undefined ? '' : modelsItem(reference, modelsPath, current)}</ul>`
    : ''
}`;
}

const isIn = ({ path }: TagAddress, current: string) =>
  current === path || current.startsWith(`${path}/`);

/** Up to how many tags a page lists all, and how many of more. */
const MAX_TAGS = 300;
const MAX_NEAR = 100;

/** The tags, or of very many those around the current one: thousands in each page would be most of a site. */
function nearTags(
  tags: readonly TagAddress[],
  current: string,
  room: number,
): readonly TagAddress[] {
  if (tags.length <= Math.min(MAX_TAGS, room)) return tags;
  const at = tags.findIndex((tag) => isIn(tag, current));
  return around(tags, at, Math.min(MAX_NEAR, room));
}

/** Of the tags, and of the operations of a tag, that all pages of a site together list: with 20,000 operations, ten in each. */
const ALL_LISTED = 200_000;

const rooms = new WeakMap<readonly ListedReference[], number>();

/** How many tags, and how many operations, a page has room for. */
function roomOf(references: readonly ListedReference[]): number {
  const tags = () => references.flatMap(({ addresses }) => addresses.tags);
  const pages = () => tags().reduce((sum, { operations }) => sum + operations.length + 1, 0);
  const room = rooms.get(references) ?? Math.floor(ALL_LISTED / pages());
  rooms.set(references, room);
  return room;
}

/** So many of a list, with the one at an index in their middle where that is possible. */
function around<One>(all: readonly One[], at: number, count: number): readonly One[] {
  const start = Math.max(0, Math.min(at - count / 2, all.length - count));
  return all.slice(start, start + count);
}

function tagItem(
  tag: TagAddress,
  reference: ReferenceAddresses,
  current: string,
  most: number,
): Html {
  if (!isIn(tag, current))
    return once(reference, tag, () => html`<li class="${classOf(tag)}">${link(tag, '')}</li>`);
  const listed = near(tag, reference, current, most);
  const isCut = listed.length < tag.operations.length && current !== tag.path;
  const operations = html`<ul>${listed.map((one) => html`<li>${operationLink(one, reference, current)}</li>`)}${isCut ? all(tag) : ''}</ul>`;
  return html`<li class="${classOf(tag)}">${link(tag, current)}${operations}</li>`;
}

/** More levels stand as far in as the last of these. */
const MAX_LEVEL = 4;

/** Tags under others are entries of the same list, which stand further in. */
function classOf(tag: TagAddress): string {
  const level = Math.min(tagWay(tag).length - 1, MAX_LEVEL);
  return level === 0 ? 'nav-tag' : `nav-tag nav-under-${level}`;
}

/** How many operations of a tag a page lists: with all of them, pages of large tags would weigh more than they say. */
const MAX_LISTED = 100;

/** The operations of a tag, or of very many those around the current one. */
function near(
  { operations }: TagAddress,
  reference: ReferenceAddresses,
  current: string,
  most: number,
): readonly OperationSummary[] {
  const room = Math.min(MAX_LISTED, most);
  if (operations.length <= room) return operations;
  const at = operations.findIndex((one) => reference.operation(one) === current);
  return around(operations, at, room);
}

/** The way to the operations that are not listed. */
function all({ title, path, operations }: TagAddress): Html {
  return html`<li><a href="${hrefOf(path)}"><span>All ${operations.length} of ${title}</span></a></li>`;
}

/** Of the models, the page's own stands below the list's link: there may be thousands. */
function modelsItem(reference: ReferenceAddresses, path: string, current: string): Html {
  const name = current.startsWith(`${path}/`)
    ? reference.models.find((one) => reference.model(one) === current)
    : undefined;
  const own =
    name === undefined
      ? ''
      : html`<ul><li>${link({ title: name, path: current }, current)}</li></ul>`;
  return html`<li class="nav-models">${link({ title: 'Models', path }, current)}${own}</li>`;
}

/** Items of operations and tags, each made once: hundreds of pages list the same. */
const listed = new WeakMap<ReferenceAddresses, Map<object, Html>>();

function once(reference: ReferenceAddresses, of: object, make: () => Html): Html {
  const known = listed.get(reference) ?? new Map<object, Html>();
  listed.set(reference, known);
  const found = known.get(of) ?? make();
  known.set(of, found);
  return found;
}

function operationLink(
  operation: OperationSummary,
  reference: ReferenceAddresses,
  current: string,
): Html {
  const path = reference.operation(operation);
  const make = () => operationAnchor(operation, path, path === current);
  return path === current ? make() : once(reference, operation, make);
}

function operationAnchor(
  { method, title, deprecated }: OperationSummary,
  path: string,
  isCurrent: boolean,
): Html {
  const mark = deprecated ? html` class="deprecated"` : '';
  return html`<a href="${hrefOf(path)}"${mark}${isCurrent ? CURRENT : ''}><span class="method method-${method.toLowerCase()}">${method}</span><span>${title}</span></a>`;
}

const CURRENT = html` aria-current="page"`;

function link({ title, path }: SiteLink, current: string): Html {
  return html`<a href="${hrefOf(path)}"${path === current ? CURRENT : ''}>${title}</a>`;
}

/** What the header has no room for on narrow screens: the site's other parts, and the links to other places. */
function otherLinks(frame: SiteFrame, current: string, hasGuides: boolean): Html {
  const { links, headerLinks } = frame;
  // The start page is listed already, where the guides are.
  const others = [
    ...links.filter(({ path }) => !hasGuides || path !== '/'),
    ...changelogLink(frame),
  ];
  if (others.length + headerLinks.length === 0) return html``;
  return html`<div class="docs-nav-site">${others.map((one) => link(one, current))}${headerLinks.map(outsideLink)}</div>`;
}

/** Where the operations of a reference are listed, for scripts: `/_site/navigation.json`. */
const navigationPath = ({ address }: Pick<ReferenceAddresses, 'address'>): string =>
  address === undefined ? '/_site/navigation.json' : `/_site/navigation/${address}.json`;

/** Whether a path is that of such a file. */
export const isNavigationPath = (path: string): boolean =>
  path === navigationPath({ address: undefined }) || path.startsWith('/_site/navigation/');

/** What the file there has. */
export interface Navigation {
  readonly tags: readonly {
    readonly path: string;
    readonly title: string;
    readonly operations: readonly NavigationItem[];
  }[];
}

type NavigationItem = readonly [method: string, title: string, path: string, deprecated: 0 | 1];

/** The operations of all tags, for the script that opens a tag in the list. */
export function navigationFile(reference: ReferenceAddresses): SiteFile {
  const tags = [...reference.tags, ...(reference.webhooks ? [reference.webhooks] : [])].map(
    ({ path, title, operations }) => ({
      path: hrefOf(path),
      title,
      operations: operations.map(
        (one): NavigationItem => [
          one.method,
          one.title,
          hrefOf(reference.operation(one)),
          one.deprecated ? 1 : 0,
        ],
      ),
    }),
  );
  const content = JSON.stringify({ tags } satisfies Navigation);
  return { path: navigationPath(reference), type: TYPES.json, content };
}
