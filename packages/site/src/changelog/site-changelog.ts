import type { ReferenceContext } from '../reference/reference-context.ts';
import { isListed } from '../reference/reference-list.ts';
import { longDay } from '../syntax/days.ts';
import {
  type Changelog,
  type ChangelogEntry,
  dayOf,
  type FindOperation,
  templateOf,
} from './changelog.ts';
import type { ChangelogNote } from './notes.ts';

/** The changelog of a site that is made, with all that its page and its feeds say. */
export interface SiteChangelog {
  /** Of the site. */
  readonly title: string;
  readonly api: Changelog;
  /** The newest first. */
  readonly days: readonly ChangelogDay[];
  readonly findOperation: FindOperation;
  /** What to call an entry's API; undefined where the site has one alone. */
  readonly apiTitle: (entry: ChangelogEntry) => string | undefined;
  /** The site's address for everyone, which ids of notes are made of; undefined where it is not known. */
  readonly origin: string | undefined;
}

export interface ChangelogDay {
  /** `2026-11-30` */
  readonly day: string;
  readonly notes: readonly ChangelogNote[];
  readonly entries: readonly ChangelogEntry[];
}

interface Parts extends Pick<SiteChangelog, 'title' | 'api' | 'origin'> {
  /** The newest first. */
  readonly notes: readonly ChangelogNote[];
  readonly references: readonly ReferenceContext[];
}

/** Puts entries and notes together by their days. */
export function siteChangelog({ title, api, origin, notes, references }: Parts): SiteChangelog {
  const entries = Map.groupBy(api.entries, dayOf);
  const noted = Map.groupBy(notes, ({ day }) => day);
  const days = [...new Set([...entries.keys(), ...noted.keys()])].sort().reverse();
  return {
    ...{ title, api, origin },
    days: days.map((day) => ({
      day,
      notes: noted.get(day) ?? [],
      entries: entries.get(day) ?? [],
    })),
    findOperation: findOperations(references),
    apiTitle: (entry) =>
      isListed(references) ? (titleOf(references, entry) ?? entry.title) : undefined,
  };
}

const titleOf = (references: readonly ReferenceContext[], { api }: ChangelogEntry) =>
  references.find(({ addresses }) => addresses.address === api)?.title;

/** Looks operations up in the references as they are now: tags and ids may have changed since an entry was written. */
function findOperations(references: readonly ReferenceContext[]): FindOperation {
  const pages = new Map<string | null, Map<string, string>>();
  for (const { addresses, checked } of references) {
    const own = checked.operations.map(
      (one) => [templateOf(`${one.method} ${one.path}`), addresses.operation(one)] as const,
    );
    pages.set(addresses.address ?? null, new Map(own));
  }
  const [only] = pages.values();
  return (api, name) => (pages.size === 1 ? only : pages.get(api))?.get(templateOf(name));
}

/** A note as other places call it: by its title, or else by its day. */
export const noteTitle = ({ page, day }: ChangelogNote): string => page.title || longDay(day);

/** The version that an entry's document had, where it has another one now. */
export const versionBefore = ({ version, before }: ChangelogEntry): string | undefined =>
  version === null || before === null || version === before ? undefined : before;

/** What an entry is called, and the version that is shown beside it: `Version 2.1.0`, or `Payments` and `2.1.0`. */
export function entryHeading(
  changelog: SiteChangelog,
  entry: ChangelogEntry,
): { readonly title: string; readonly version: string | undefined } {
  const api = changelog.apiTitle(entry);
  const version = entry.version ?? undefined;
  if (api !== undefined) return { title: api, version };
  if (version !== undefined && versionBefore(entry) !== undefined)
    return { title: `Version ${version}`, version: undefined };
  return { title: 'API changes', version };
}

/** The same in one line: `API changes (2.1.0)`. */
export function entryTitle(changelog: SiteChangelog, entry: ChangelogEntry): string {
  const { title, version } = entryHeading(changelog, entry);
  return version === undefined ? title : `${title} (${version})`;
}
