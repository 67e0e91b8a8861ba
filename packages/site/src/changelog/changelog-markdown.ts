import { count } from '@petstore/service/text.ts';
import { bulletList, closed, destination, joined, literal } from '../markdown/markdown-text.ts';
import { markdownPath } from '../site/site-files.ts';
import { type ChangelogEntry, LISTED_VERDICTS } from './changelog.ts';
import { documentationText, leadOf, VERDICT_TITLES } from './changelog-content.ts';
import { CHANGELOG } from './changelog-paths.ts';
import { groupedChanges } from './grouped-changes.ts';
import { entryTitle, noteTitle, type SiteChangelog, versionBefore } from './site-changelog.ts';

/** The changelog as Markdown. `markdownOf`: what the file of a note has, without its front matter. */
export function changelogMarkdown(
  changelog: SiteChangelog,
  markdownOf: (file: string) => string,
): string {
  const days = changelog.days.map(({ day, notes, entries }) =>
    joined([
      `## ${day}`,
      ...notes.map((note) =>
        joined([
          note.page.title === '' ? '' : `### ${literal(noteTitle(note))}`,
          closed(lowered(markdownOf(note.page.file), note.page.title).trim()),
        ]),
      ),
      ...entries.map((entry) => entryMarkdown(changelog, entry)),
    ]),
  );
  return `${joined([`# ${CHANGELOG.title}`, literal(leadOf(changelog)), ...days])}\n`;
}

function entryMarkdown(changelog: SiteChangelog, entry: ChangelogEntry): string {
  const { documentation, leftOut } = entry;
  const before = versionBefore(entry);
  return joined([
    `### ${literal(entryTitle(changelog, entry))}`,
    before === undefined ? '' : `Before: ${literal(before)}`,
    ...LISTED_VERDICTS.flatMap((verdict) => {
      const changes = entry.changes.filter((change) => change.verdict === verdict);
      if (changes.length === 0) return [];
      const items = groupedChanges(entry, changes).flatMap((group) => {
        const names = group.operations.map((name) => {
          const path = changelog.findOperation(entry.api, name);
          return path === undefined
            ? literal(name)
            : `[${literal(name)}](${destination(markdownPath(path))})`;
        });
        const rest = group.more > 0 ? ` and ${count(group.more, 'other')}` : '';
        const who = names.length === 0 ? '' : `${names.join(', ')}${rest}: `;
        return group.sentences.map((sentence) => who + sentence);
      });
      return [`**${VERDICT_TITLES[verdict]}**`, bulletList(items)];
    }),
    leftOut > 0 ? `And ${count(leftOut, 'more change')}.` : '',
    documentation > 0 ? documentationText(entry) : '',
  ]);
}

/** The destination of a link that begins in the folder of notes. */
const RELATIVE = /(\]\(<?)(?![a-z][a-z\d+.-]*:|[/#])([^)\s>]+)/gi;

function moved(_: string, before: string, href: string): string {
  const base = `http://site${CHANGELOG.path}/`;
  if (!URL.canParse(href, base)) return before + href;
  const { pathname, search, hash } = new URL(href, base);
  return before + pathname + search + hash;
}

/** Markdown whose headings are below that of the note, without the title that stands above it. */
function lowered(markdown: string, title: string): string {
  let fence: string | undefined;
  let isFirst = true;
  return markdown
    .split('\n')
    .flatMap((line) => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (mark !== undefined && (fence === undefined || mark.startsWith(fence)))
        fence = fence === undefined ? mark : undefined;
      const [, marks = '', rest = ''] =
        fence === undefined ? (/^(#{1,6})(\s.*)$/.exec(line) ?? []) : [];
      if (marks === '') return [fence === undefined ? line.replace(RELATIVE, moved) : line];
      const isTitle = isFirst && marks === '#' && rest.trim() === title;
      isFirst = false;
      return isTitle ? [] : [`${'#'.repeat(Math.min(6, Math.max(4, marks.length + 2)))}${rest}`];
    })
    .join('\n');
}
