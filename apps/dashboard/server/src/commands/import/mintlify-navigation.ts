import type {
  ImportedDocument,
  ImportedEntry,
  ImportedSite,
  ImportedTab,
  Note,
} from './imported-site.ts';
import type { ImportedValue, Place } from './imported-value.ts';
import {
  documentIn,
  documentsIn,
  isOperation,
  type MintlifyReference,
  withoutDocument,
} from './mintlify-reference.ts';
import type { ReferencePage } from './reference-pages.ts';
import { pageFile, type SourceFolder } from './source-folder.ts';

/** What a navigation is read with. */
interface Reading {
  readonly folder: SourceFolder;
  readonly notes: Note[];
  readonly reference: MintlifyReference;
}

/** The navigation of a `docs.json`, or of the older `mint.json`. */
export function readNavigation(at: Reading, config: ImportedValue): ImportedSite['navigation'] {
  const isOld = config.get('navigation')?.items.length !== 0;
  const navigation = isOld ? oldNavigation(at, config) : newNavigation(at, config);
  return withReferences(navigation, at.reference.documents);
}

/** Of tabs for the same reference one is kept, and none without a document. */
function withReferences(
  navigation: ImportedSite['navigation'],
  documents: readonly ImportedDocument[],
): ImportedSite['navigation'] {
  const shown = new Set<string | true>();
  return navigation.filter((one) => {
    if (!('content' in one) || !('reference' in one.content)) return true;
    // Of one document there is one reference.
    const reference = documents.length > 1 ? one.content.reference : true;
    const isNew = documents.length > 0 && !shown.has(reference);
    shown.add(reference);
    return isNew;
  }) as ImportedSite['navigation'];
}

/** What a tab of these documents shows: the only one's reference, or all. */
const referenceOf = (files: ReadonlySet<string>): { readonly reference: string | true } => {
  const [first, second] = files;
  return { reference: first === undefined || second !== undefined ? true : first };
};

/** The documents of entries that are all in the reference. */
const documentsOfEntries = (entries: readonly ImportedEntry[]): string[] =>
  entries.flatMap((entry) => {
    if (entry.kind === 'group') return documentsOfEntries(entry.entries);
    return entry.kind === 'link' && entry.document !== undefined ? [entry.document] : [];
  });

/** What divides a navigation, and how each of its parts is called. */
const DIVISIONS: Readonly<Record<string, string>> = {
  products: 'product',
  tabs: 'tab',
  dropdowns: 'dropdown',
  anchors: 'anchor',
  menu: 'item',
};

/** Of these one is read: a site has one language and one version. */
const CHOICES: Readonly<Record<string, string>> = { languages: 'language', versions: 'version' };

function newNavigation(at: Reading, config: ImportedValue): ImportedSite['navigation'] {
  const navigation = chosen(at, config.get('navigation') ?? config);
  const own = ownEntries(at, navigation, false);
  const divisions = divisionsOf(navigation);
  const isOff = ({ value }: Division) => value.get('hidden')?.isTrue === true;
  const tabs = divisions
    .filter((one) => !isOff(one))
    .flatMap(({ value, title }) => tabOf(at, value, title));
  own.push(
    ...divisions.filter(isOff).flatMap(({ value }) => entriesOf(at, chosen(at, value), true)),
  );
  const isHidden = own.every((one) => one.kind === 'page' && one.isHidden);
  const [first] = tabs.filter(({ content }) => Array.isArray(content));
  if (tabs.length === 0) return own;
  if (first && isHidden) {
    const content = [...(first.content as readonly ImportedEntry[]), ...own];
    return tabs.map((tab) => (tab === first ? { ...first, content } : tab));
  }
  const { place } = navigation;
  return [{ title: 'Documentation', content: own, place }, ...tabs];
}

/** The languages' and versions' part that is carried over. */
function chosen(at: Reading, navigation: ImportedValue): ImportedValue {
  for (const [key, name] of Object.entries(CHOICES)) {
    const all = navigation.get(key)?.items ?? [];
    const first = all.find((one) => one.get('default')?.isTrue) ?? all[0];
    if (!first) continue;
    const others = all.filter((one) => one !== first);
    const named = others.map((one) => one.get(name)?.text ?? one.get('$ref')?.text ?? '?');
    if (others.length > 0)
      at.notes.push({
        ...(others[0] as ImportedValue).place,
        message: `Of the ${key}, ${first.get(name)?.text ?? 'the first one'} is carried over, and not ${named.join(', ')}: deploy each to a project of its own. Pages of those are published, without an entry in the navigation, as long as they are in the folder.`,
      });
    return chosen(at, first);
  }
  return navigation;
}

interface Division {
  readonly value: ImportedValue;
  readonly title: string;
}

function divisionsOf(value: ImportedValue): Division[] {
  return Object.entries(DIVISIONS).flatMap(([key, name]) =>
    (value.get(key)?.items ?? []).map((one) => ({
      value: one,
      title: one.get(name)?.text ?? one.get('name')?.text ?? name,
    })),
  );
}

function tabOf(at: Reading, value: ImportedValue, title: string): ImportedTab[] {
  const { place } = value;
  const icon = iconName(value.get('icon'));
  const inner = chosen(at, value);
  const content = entriesOf(at, inner, false);
  const url = value.get('href')?.text;
  const isReference = content.every(isOfReference);
  if (!isReference) return [{ title, icon, content, place }];
  if (url !== undefined) return [{ title, icon, content: { url }, place }];
  const hasOperations = value.get('openapi') !== undefined || hasOperation(inner);
  if (!hasOperations && content.length === 0) return [];
  const named = new Set([
    ...documentsIn(at, value),
    ...documentsIn(at, inner),
    ...documentsOfEntries(content),
  ]);
  return [{ title, icon, content: referenceOf(named), place }];
}

/** Whether there is an entry such as `GET /pets`, or a group of a document's. */
function hasOperation(value: ImportedValue): boolean {
  if (value.get('openapi')) return true;
  const inner = [value.get('pages'), value.get('groups')].flatMap((list) => list?.items ?? []);
  return inner.some((one) => isOperation(one.text) || hasOperation(one));
}

/** Whether all of an entry is in the reference, which lists it by itself. */
function isOfReference(entry: ImportedEntry): boolean {
  if (entry.kind === 'link') return entry.document !== undefined;
  if (entry.kind === 'page') return false;
  return entry.page === undefined && entry.entries.every(isOfReference);
}

/** The entries below a value: its pages and groups, and its divisions as groups. */
function entriesOf(at: Reading, value: ImportedValue, isHidden: boolean): ImportedEntry[] {
  const groups = divisionsOf(value).flatMap(({ value: one, title }): ImportedEntry[] => {
    const { place } = one;
    const icon = iconName(one.get('icon'));
    const url = one.get('href')?.text;
    const isOff = isHidden || one.get('hidden')?.isTrue === true;
    const entries = entriesOf(at, chosen(at, one), isOff);
    if (entries.length > 0) return [{ kind: 'group', title, icon, entries, place }];
    return url === undefined ? [] : [{ kind: 'link', title, icon, url, place }];
  });
  return [...ownEntries(at, value, isHidden), ...groups];
}

/** The pages and groups of a value. */
function ownEntries(at: Reading, value: ImportedValue, isHidden: boolean): ImportedEntry[] {
  const pages = value.get('pages')?.items ?? [];
  const groups = value.get('groups')?.items ?? [];
  return [
    ...pages.flatMap((one) => entryOf(at, one, isHidden)),
    ...groups.flatMap((one) => groupOf(at, one, isHidden)),
  ];
}

function entryOf(at: Reading, value: ImportedValue, isHidden: boolean): ImportedEntry[] {
  const { text, place } = value;
  if (text === undefined) return groupOf(at, value, isHidden);
  if (isOperation(text)) {
    const found = at.reference.pages.operation(withoutDocument(text), documentIn(text));
    if (found) return isHidden ? [] : [operationLink(found, place)];
    const message = `The reference has no \`${withoutDocument(text)}\`: the entry is left out.`;
    at.notes.push({ ...place, message });
    return [];
  }
  if (/^https?:\/\//.test(text)) return [{ kind: 'link', title: text, url: text, place }];
  const file = pageFile(at.folder, text);
  const filled = file === undefined ? undefined : at.reference.filled.get(file);
  if (filled) return isHidden ? [] : [operationLink(filled, place)];
  if (file !== undefined) return [{ kind: 'page', file, isHidden, place }];
  const message = `There is no page \`${text}\` (.mdx or .md): the entry is left out.`;
  at.notes.push({ ...place, message });
  return [];
}

const operationLink = ({ path, title, file }: ReferencePage, place: Place): ImportedEntry => ({
  ...{ kind: 'link', title, url: path, place, document: file },
});

function groupOf(at: Reading, value: ImportedValue, isOff: boolean): ImportedEntry[] {
  const { place } = value;
  const title = value.get('group')?.text ?? value.get('title')?.text;
  const isHidden = isOff || value.get('hidden')?.isTrue === true;
  const entries = ownEntries(at, value, isHidden);
  const divided = divisionsOf(value).length > 0 ? entriesOf(at, value, isHidden) : entries;
  const root = value.get('root')?.text;
  const own = root === undefined ? undefined : pageFile(at.folder, root);
  const page = own !== undefined && at.reference.filled.has(own) ? undefined : own;
  if (root !== undefined && own === undefined)
    at.notes.push({ ...place, message: `There is no page \`${root}\`, the group's own one.` });
  if (title === undefined) return divided;
  // Hidden pages need no heading.
  if (isHidden) {
    const hidden: ImportedEntry[] = page ? [{ kind: 'page', file: page, isHidden, place }] : [];
    return [...hidden, ...divided];
  }
  const icon = iconName(value.get('icon'));
  return [{ kind: 'group', title, icon, page, entries: divided, place }];
}

const iconName = (value: ImportedValue | undefined) => value?.text ?? value?.get('name')?.text;

/** The navigation of a `mint.json`: groups in a list, which tabs and anchors divide by the folders of their pages. */
function oldNavigation(at: Reading, config: ImportedValue): ImportedSite['navigation'] {
  const groups = (config.get('navigation')?.items ?? []).map((value) => ({
    value,
    entries: groupOf(at, value, false),
  }));
  const parts = [...(config.get('tabs')?.items ?? []), ...(config.get('anchors')?.items ?? [])];
  const rest = new Set(groups);
  const tabs = parts.flatMap((part): ImportedTab[] => {
    const title = part.get('name')?.text ?? 'Tab';
    const url = part.get('url')?.text ?? '';
    const { place } = part;
    const icon = iconName(part.get('icon'));
    if (/^[a-z]+:/i.test(url)) return [{ title, icon, content: { url }, place }];
    const own = [...rest].filter(({ value }) => firstPage(value)?.startsWith(`${url}/`));
    for (const one of own) rest.delete(one);
    const content = own.flatMap(({ entries }) => entries);
    if (!content.every(isOfReference)) return [{ title, icon, content, place }];
    if (content.length === 0 && !part.get('openapi')) return [];
    const named = new Set([...documentsIn(at, part), ...documentsOfEntries(content)]);
    return [{ title, icon, content: referenceOf(named), place }];
  });
  const entries = [...rest].flatMap((one) => one.entries);
  if (tabs.length === 0) return entries;
  const title = config.get('primaryTab')?.get('name')?.text ?? 'Documentation';
  const { place } = config;
  return entries.length > 0 ? [{ title, content: entries, place }, ...tabs] : tabs;
}

/** The first page below a group, as it is written. */
function firstPage(group: ImportedValue): string | undefined {
  const [first] = group.get('pages')?.items ?? [];
  return first?.text ?? (first && firstPage(first));
}
