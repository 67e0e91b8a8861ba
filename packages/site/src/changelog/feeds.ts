import { hash } from 'node:crypto';
import { escaped, type Html } from '@petstore/http/html.ts';
import { type SiteFile, TYPES } from '../site/site-files.ts';
import { TAG } from '../site/versions/moved-files.ts';
import { anchorOf, type ChangelogEntry } from './changelog.ts';
import { documentationText, entryBody, leadOf } from './changelog-content.ts';
import { CHANGELOG } from './changelog-paths.ts';
import type { ChangelogNote } from './notes.ts';
import { entryTitle, noteTitle, type SiteChangelog } from './site-changelog.ts';

/** The newest entries of a feed, as far as they have no more letters. */
const MOST = { items: 50, letters: 500_000 } as const;

/** An entry of either feed. */
interface FeedItem {
  /** A UUID, the same for good. */
  readonly uuid: string;
  /** RFC 3339 */
  readonly at: string;
  /** The fragment on the page, as an address has it: a note's is of its file's name, which may have any letter. */
  readonly fragment: string;
  readonly title: string;
  /** Its addresses are whole. */
  readonly content: string;
}

/** The Atom feed (RFC 4287) and the JSON feed (https://www.jsonfeed.org/version/1.1/) of a changelog. Both are templates. */
export function feedFiles(changelog: SiteChangelog): readonly SiteFile[] {
  const items = feedItems(changelog);
  return [
    {
      ...{ path: CHANGELOG.atom, type: TYPES.atom, template: true },
      content: atom(changelog, items),
    },
    {
      ...{ path: CHANGELOG.json, type: TYPES.jsonFeed, template: true },
      content: jsonFeed(changelog, items),
    },
  ];
}

function feedItems(changelog: SiteChangelog): FeedItem[] {
  const items = changelog.days.flatMap(({ notes, entries }) => [
    ...notes.map((note) => noteItem(changelog, note)),
    ...entries.map((entry) => entryItem(changelog, entry)),
  ]);
  items.sort((one, other) => (one.at === other.at ? 0 : one.at > other.at ? -1 : 1));
  let letters = 0;
  return items.slice(0, MOST.items).filter(({ content }) => {
    letters += content.length;
    return letters <= MOST.letters;
  });
}

function noteItem({ origin, title }: SiteChangelog, note: ChangelogNote): FeedItem {
  const { day, anchor, page } = note;
  return {
    uuid: uuidOf([origin ?? title, page.file]),
    at: `${day}T00:00:00Z`,
    fragment: encodeURIComponent(anchor),
    title: noteTitle(note),
    content: wholeAddresses(page.html),
  };
}

function entryItem(changelog: SiteChangelog, entry: ChangelogEntry): FeedItem {
  const { documentation, leftOut } = entry;
  const rest = [
    ...(leftOut > 0 ? [`And ${leftOut} more.`] : []),
    ...(documentation > 0 ? [documentationText(entry)] : []),
  ].map((text) => `<p>${escaped(text)}</p>`);
  return {
    uuid: uuidOf([entry.at, entry.id]),
    at: entry.at,
    fragment: anchorOf(entry),
    title: `${entryTitle(changelog, entry)}: ${summaryOf(entry)}`,
    content: wholeAddresses(withoutFolds(entryBody(changelog, entry)) + rest.join('')),
  };
}

/** `2 breaking, 1 compatible`, or `documentation`. */
function summaryOf({ changes, leftOut }: ChangelogEntry): string {
  const counts = Map.groupBy(changes, ({ verdict }) => verdict);
  const words = [...counts].map(([verdict, all]) => `${all.length} ${verdict}`);
  return [...words, ...(leftOut > 0 ? [`${leftOut} more`] : [])].join(', ') || 'documentation';
}

const withoutFolds = ({ text }: Html): string =>
  text.replaceAll(/<details[^>]*><summary>[^<]*<\/summary>|<\/details>|<wbr>/g, '');

/** Addresses of the site become whole ones: readers of feeds are elsewhere. */
function wholeAddresses(text: string): string {
  return text.replace(TAG, (tag) =>
    tag
      .replace(/(\s(?:href|src)=")\/(?![/\\])/g, '$1{{origin}}/')
      .replace(/(\shref=")#/g, `$1{{origin}}${CHANGELOG.path}#`),
  );
}

/** A UUID of version 8 (RFC 9562): of a hash. */
function uuidOf(parts: readonly string[]): string {
  const digits = hash('sha256', JSON.stringify(parts), 'hex');
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}

/** What XML cannot have (https://www.w3.org/TR/xml/#charsets) is left out. */
const NO_XML =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const xml = (text: string): string => escaped(text.replace(NO_XML, ''));

const feedTitle = ({ title }: SiteChangelog) => `${title}: ${CHANGELOG.title}`;

function atom(changelog: SiteChangelog, items: readonly FeedItem[]): string {
  const { origin, title } = changelog;
  const page = `{{origin}}${CHANGELOG.path}`;
  const entries = items.map(
    (item) => `<entry>
<id>urn:uuid:${item.uuid}</id>
<title>${xml(item.title)}</title>
<updated>${item.at}</updated>
<published>${item.at}</published>
<link rel="alternate" type="text/html" href="${page}#${item.fragment}"/>
<content type="html">${xml(item.content)}</content>
</entry>
`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>urn:uuid:${uuidOf([origin ?? title, CHANGELOG.path])}</id>
<title>${xml(feedTitle(changelog))}</title>
<subtitle>${xml(leadOf(changelog))}</subtitle>
<updated>${items.map(({ at }) => at).reduce((one, other) => (one > other ? one : other), NEVER)}</updated>
<link rel="self" type="application/atom+xml" href="{{origin}}${CHANGELOG.atom}"/>
<link rel="alternate" type="text/html" href="${page}"/>
<author><name>${xml(title)}</name></author>
${entries.join('')}</feed>
`;
}

/** Of a feed without entries, whose `updated` has to be some time. */
const NEVER = '1970-01-01T00:00:00Z';

function jsonFeed(changelog: SiteChangelog, items: readonly FeedItem[]): string {
  const page = `{{origin}}${CHANGELOG.path}`;
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: feedTitle(changelog),
    home_page_url: page,
    feed_url: `{{origin}}${CHANGELOG.json}`,
    description: leadOf(changelog),
    language: 'en',
    authors: [{ name: changelog.title }],
    items: items.map(({ uuid, at, fragment, title, content }) => ({
      id: `urn:uuid:${uuid}`,
      url: `${page}#${fragment}`,
      title,
      content_html: content,
      date_published: at,
    })),
  });
}
