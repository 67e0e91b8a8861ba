// What changed in the API of a site, as its artifacts carry it from one deploy to the next.

/** The changes of a site's API, the newest first. */
export interface Changelog {
  readonly entries: readonly ChangelogEntry[];
}

export const EMPTY_CHANGELOG: Changelog = { entries: [] };

/** What one deploy changed in one document. */
export interface ChangelogEntry {
  /** 16 digits, the same for good. */
  readonly id: string;
  /** When it was deployed, as RFC 3339 has it: `2026-11-30T10:00:00Z`. */
  readonly at: string;
  /** The address of the document's reference; null for a site's only document. */
  readonly api: string | null;
  /** The title of the document. */
  readonly title: string;
  /** The version that the document gives itself, and the one that it had; null for none. */
  readonly version: string | null;
  readonly before: string | null;
  /** How many changes are of documentation alone. They are not listed. */
  readonly documentation: number;
  /** The operations that the changes reach. */
  readonly operations: readonly ChangedOperation[];
  /** The gravest first. */
  readonly changes: readonly ListedChange[];
  /** How many more there are. */
  readonly leftOut: number;
}

export interface ChangedOperation {
  /** `GET /pets`, of a webhook `POST newPet`. */
  readonly name: string;
  readonly did: readonly OperationEvent[];
  /** The day of its removal, where the entry announces or moves it. */
  readonly sunset?: string;
}

/** `restored`: it is no longer deprecated; `kept`: it is no longer to be removed. */
export type OperationEvent = 'added' | 'removed' | 'changed' | 'deprecated' | 'restored' | 'kept';

/** How much a change matters to the programs that use an API, the gravest first. */
export const LISTED_VERDICTS = ['breaking', 'risky', 'compatible'] as const;

export interface ListedChange {
  readonly verdict: (typeof LISTED_VERDICTS)[number];
  readonly code: string;
  /** A sentence with code between backticks. */
  readonly message: string;
  /** The operations that it is told of, by their places in the entry's list; none for the whole document. */
  readonly operations: readonly number[];
  /** How many operations more there are. */
  readonly more: number;
}

/** What an entry has at most, and what a changelog has: beyond that its oldest entries go. */
export const MOST = {
  entries: 300,
  /** Of the JSON of all entries. */
  letters: 400_000,
  changes: 200,
  /** Of the JSON of an entry's changes, and of its operations. */
  changeLetters: 60_000,
  operationLetters: 60_000,
  /** Of a sentence. */
  message: 400,
  /** Operations that are named with a change. */
  named: 50,
} as const;

/** A changelog with new entries before its own, without the oldest ones for which there is no room. */
export function withEntries(
  { entries }: Changelog,
  added: readonly ChangelogEntry[],
  most: Readonly<Record<'entries' | 'letters', number>> = MOST,
): Changelog {
  let letters = 0;
  const all = [...added, ...entries].slice(0, most.entries);
  const beyond = all.findIndex((entry) => {
    letters += JSON.stringify(entry).length;
    return letters > most.letters;
  });
  return { entries: beyond === -1 ? all : all.slice(0, beyond) };
}

/** Where a site has its changelog as it is carried on: of the API alone, without notes. */
export const CHANGELOG_STATE = '/_site/changelog.json';

const VERSION = 1;

/** The text of that file. */
export const changelogText = ({ entries }: Changelog): string =>
  JSON.stringify({ version: VERSION, entries });

/** Reads that file. One of a later version of the product gives an empty changelog. */
export function readChangelog(text: string): Changelog {
  const { version, entries } = JSON.parse(text) as {
    version?: unknown;
    entries: Changelog['entries'];
  };
  return version === VERSION ? { entries } : EMPTY_CHANGELOG;
}

/** `2026-11-30`, in UTC. */
export const dayOf = ({ at }: Pick<ChangelogEntry, 'at'>): string => at.slice(0, 10);

/** The fragment of an entry on the page. */
export const anchorOf = (entry: Pick<ChangelogEntry, 'at' | 'id'>): string =>
  `${dayOf(entry)}-${entry.id.slice(0, 8)}`;

/** Finds the page of an operation of an entry in the site that is built; undefined where it has none any more. */
export type FindOperation = (api: string | null, name: string) => string | undefined;

/** What is known of an operation, each with the entry that tells it. */
export interface OperationHistory {
  readonly added?: ChangelogEntry;
  readonly changed?: ChangelogEntry;
  readonly deprecated?: ChangelogEntry;
  readonly sunset?: { readonly day: string; readonly entry: ChangelogEntry };
}

/**
 * What a changelog says of the operations of a document, by their names (`templateOf`). `address`: that of its
 * reference; null for a site's only document, which all entries are of.
 */
export function operationHistories(
  { entries }: Changelog,
  address: string | null,
): ReadonlyMap<string, OperationHistory> {
  const histories = new Map<string, OperationHistory>();
  for (const entry of entries.toReversed()) {
    if (address !== null && entry.api !== address) continue;
    for (const operation of entry.operations) {
      const name = templateOf(operation.name);
      histories.set(name, after(histories.get(name) ?? {}, operation, entry));
    }
  }
  return histories;
}

function after(
  history: OperationHistory,
  { did, sunset }: ChangedOperation,
  entry: ChangelogEntry,
): OperationHistory {
  if (did.includes('removed')) return {};
  if (did.includes('added')) return { added: entry };
  const { deprecated, sunset: announced, ...rest } = history;
  const day = sunset === undefined ? announced : { day: sunset, entry };
  const since = did.includes('deprecated') ? entry : deprecated;
  return {
    ...rest,
    ...(did.includes('changed') && { changed: entry }),
    ...(since && !did.includes('restored') && { deprecated: since }),
    ...(day && !did.includes('restored') && !did.includes('kept') && { sunset: day }),
  };
}

/** Whatever the parameters of a path are called, it is one path: `GET /pets/{}` for `GET /pets/{petId}`. */
export const templateOf = (operation: string): string => operation.replace(/\{[^{}]*\}/g, '{}');
