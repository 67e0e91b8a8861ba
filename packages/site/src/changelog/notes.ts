import type { SourceFiles } from '../build-log.ts';
import { pagesOf } from '../guides/config-navigation.ts';
import type { DocsConfig } from '../guides/docs-config.ts';
import { isMarkdown, isPage, pagePath } from '../guides/links/site-paths.ts';
import type { RenderedPage } from '../guides/render/render-page.ts';
import type { Rule } from '../rules.ts';
import { isDay, latestDay } from '../syntax/days.ts';
import { CHANGELOG } from './changelog-paths.ts';

// Notes of a changelog: Markdown files in the folder `changelog/` that are called by a day.

/** A note that is rendered. */
export interface ChangelogNote {
  /** `2026-11-30` */
  readonly day: string;
  /** Its fragment on the page of the changelog. */
  readonly anchor: string;
  readonly page: RenderedPage;
}

/** What a folder says of its changelog. */
export interface ChangelogFiles {
  /** Why the site has none; undefined where it may have one. */
  readonly off: 'configured' | 'taken' | undefined;
  /** The files of notes, each with its fragment on the page. Those of the future are among them. */
  readonly notes: ReadonlyMap<string, string>;
  /** Whether a note's day has come. */
  readonly hasCome: (file: string) => boolean;
  readonly findings: readonly ChangelogFinding[];
}

export interface ChangelogFinding {
  readonly rule: Rule;
  readonly file: string;
  readonly message: string;
}

/** Of Markdown that is no page, an included text for one, this is not asked. */
const IN_FOLDER = /^changelog\/([^/]+)\.mdx?$/i;
const DATED = /^(\d{4}-\d\d-\d\d)(?:-.+)?$/;

/** The day of a note's file, whether or not there is such a day; undefined for other files. */
export function dayOfFile(file: string): string | undefined {
  return isPage(file) ? DATED.exec(IN_FOLDER.exec(file)?.[1] ?? '')?.[1] : undefined;
}

/** The notes among files, if they are notes, whose day has not come at a time (RFC 3339). */
export function notesToCome(files: Iterable<string>, now: string): string[] {
  const latest = latestDay(now);
  return [...files].filter((file) => (dayOfFile(file) ?? '') > latest).sort();
}

/**
 * Finds the notes among the files of a folder. A site whose folder has a page of its own at `/changelog`, or redirects from
 * there, keeps it, and its files are pages as all others; so is a note that the navigation lists.
 */
export function changelogFiles(
  {
    changelog,
    navigation = [],
    redirects,
  }: Pick<DocsConfig, 'changelog' | 'navigation' | 'redirects'>,
  files: SourceFiles,
  /** The time, as RFC 3339 has it; undefined where it is not known. */
  now: string | undefined,
): ChangelogFiles {
  const latest = now === undefined ? undefined : latestDay(now);
  const hasCome = (file: string) => latest === undefined || (dayOfFile(file) ?? '') <= latest;
  const none = { notes: new Map<string, string>(), findings: [], hasCome };
  if (changelog === false) return { ...none, off: 'configured' };
  const pages = [...files.keys()].filter(isPage);
  const isTaken =
    pages.some((file) => pagePath(file, files) === CHANGELOG.path) ||
    redirects.some(({ from, isPrefix }) =>
      isPrefix ? `${CHANGELOG.path}/`.startsWith(from) && from !== '/' : from === CHANGELOG.path,
    );
  if (isTaken) return { ...none, off: 'taken' };
  const listed = new Set(
    navigation.flatMap(({ content }) =>
      Array.isArray(content) ? pagesOf(content).map(({ file }) => file) : [],
    ),
  );
  const notes = new Map<string, string>();
  const findings: ChangelogFinding[] = [];
  for (const file of pages) {
    const [, name] = IN_FOLDER.exec(file) ?? [];
    if (name === undefined || !isMarkdown(file) || listed.has(file)) continue;
    const day = dayOfFile(file);
    if (day !== undefined && isDay(day)) notes.set(file, `note-${name}`);
    else findings.push({ rule: 'changelog', file, message: misnamed(name, day) });
  }
  return { off: undefined, notes, hasCome, findings };
}

function misnamed(name: string, day: string | undefined): string {
  const why =
    day === undefined
      ? `A note of the changelog is called by its day, such as \`changelog/2026-11-30.md\` or \`changelog/2026-11-30-${name}.md\`.`
      : `There is no day ${day}, so this is no note of the changelog.`;
  return `${why} The file is published as a page of its own: rename it, or list it in the navigation.`;
}

/** The most notes of a changelog, and of their HTML in letters. */
export const MAX_NOTES = { notes: 300, letters: 1_000_000 } as const;

/** The notes that readers see, the newest first. */
export function shownNotes(
  pages: readonly RenderedPage[],
  { notes, hasCome }: Pick<ChangelogFiles, 'notes' | 'hasCome'>,
): { readonly shown: readonly ChangelogNote[]; readonly findings: readonly ChangelogFinding[] } {
  const all = pages.flatMap((page): ChangelogNote[] => {
    const [anchor, day] = [notes.get(page.file), dayOfFile(page.file)];
    if (anchor === undefined || day === undefined || page.settings.isHidden) return [];
    return [{ day, anchor, page }];
  });
  const isFuture = ({ page }: ChangelogNote) => !hasCome(page.file);
  const sorted = all.filter((note) => !isFuture(note)).sort(byDay);
  let letters = 0;
  const shown = sorted.filter(({ page }, at) => {
    letters += page.html.length;
    return at < MAX_NOTES.notes && letters <= MAX_NOTES.letters;
  });
  const left = sorted.slice(shown.length);
  return {
    shown,
    findings: [
      ...all.filter(isFuture).map(({ day, page }) => ({
        ...{ rule: 'note-to-come' as const, file: page.file },
        message: `The day ${day} has not come. The note is left out: it is published with the first deploy from that day on.`,
      })),
      ...left.map(({ page }) => ({
        ...{ rule: 'changelog' as const, file: page.file },
        message: `The changelog has no room for this note: it shows the newest ${MAX_NOTES.notes}, with ${MAX_NOTES.letters.toLocaleString('en')} characters at most.`,
      })),
    ],
  };
}

/** The newest day first, and of a day in the order of the files' names. */
function byDay(one: ChangelogNote, other: ChangelogNote): number {
  if (one.day !== other.day) return one.day > other.day ? -1 : 1;
  return one.anchor < other.anchor ? -1 : 1;
}
