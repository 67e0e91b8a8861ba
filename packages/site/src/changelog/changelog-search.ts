import { prefix } from '@petstore/service/text.ts';
import { PLAIN_DOCUMENT, type SearchDocument } from '../search/search-document.ts';
import { longDay } from '../syntax/days.ts';
import { anchorOf } from './changelog.ts';
import { leadOf } from './changelog-content.ts';
import { CHANGELOG } from './changelog-paths.ts';
import { entryTitle, noteTitle, type SiteChangelog } from './site-changelog.ts';

/** How many letters of an entry are stored to be shown. */
const EXCERPT = 1_000;

/** The changelog as the search finds it: its page, each note and each entry. */
export function changelogDocuments(changelog: SiteChangelog): SearchDocument[] {
  const { path, title } = CHANGELOG;
  const section = (anchor: string, name: string, day: string, text: string): SearchDocument => ({
    ...PLAIN_DOCUMENT,
    kind: 'section',
    title: name,
    href: `${path}#${encodeURI(anchor)}`,
    context: `${title}, ${longDay(day)}`,
    ...shown(text),
  });
  return [
    {
      ...PLAIN_DOCUMENT,
      ...{ kind: 'page', title, href: path },
      topics: 'changes release notes versions history feed',
      ...shown(leadOf(changelog)),
    },
    ...changelog.days.flatMap(({ day, notes, entries }) => [
      ...notes.map((note) =>
        section(
          note.anchor,
          noteTitle(note),
          day,
          [note.page.lead, ...note.page.sections.map(({ text }) => text)].join(' '),
        ),
      ),
      ...entries.map((entry) =>
        section(
          anchorOf(entry),
          entryTitle(changelog, entry),
          day,
          entry.changes.map(({ message }) => message.replaceAll('`', '')).join(' '),
        ),
      ),
    ]),
  ];
}

const shown = (text: string) => ({ excerpt: prefix(text, EXCERPT), texts: [text] });
