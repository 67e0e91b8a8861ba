/** An hour, in milliseconds. Hours, days and months are those of UTC. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/**
 * What is counted of a site, and how many names of each kind a project keeps of one day, or one month: the most frequent.
 * All others are one row, whose name is empty. So however many addresses, referrers and searches somebody invents, they
 * take no more rows than these, twice while the day lasts.
 */
export const MOST_NAMES = {
  /** A page that a person saw, by its path. */
  view: 500,
  /** Where that person came from: a host, or `DIRECT`. */
  source: 100,
  /** A search, with what it found. */
  search: 200,
  /** A path without a page, with what led there: a path of the site, another host, or nothing. */
  missing: 200,
  /** A page, with `yes` or `no`. */
  helpful: 200,
  /** The page of an operation that was tried, with the class of the status. */
  try: 300,
  /** A program by its name, with what it read. */
  agent: 200,
  /** A tool of the MCP server. */
  tool: 20,
} as const;

export type CountKind = keyof typeof MOST_NAMES;

export const COUNT_KINDS = Object.keys(MOST_NAMES) as CountKind[];

/** All names that are not kept by themselves. */
export const OTHERS = '';

/** No other site led there, or none that says so. No host has parentheses. */
export const DIRECT = '(direct)';

/** Between a name and its detail, which have no NUL. */
export const DETAIL = '\0';

/** Longest name, in characters: what is longer counts among the others. An index of PostgreSQL takes 2,700 bytes. */
export const MAX_NAME = 300;
/** Longest detail, in characters: what is longer is left out. */
export const MAX_DETAIL = 200;

/** Most characters of what a reader writes about a page. */
export const MAX_SENTENCE = 500;

/** What a reader wrote about a page. */
export interface Sentence {
  readonly page: string;
  readonly isHelpful: boolean;
  readonly text: string;
}

/** What readers of one project's site did in an hour. */
export interface ProjectCounts {
  /** By names, with their details behind `DETAIL`. */
  readonly counts: ReadonlyMap<CountKind, ReadonlyMap<string, number>>;
  readonly sentences: readonly Sentence[];
}

/** What readers did in one hour, by project. */
export interface HourCounts {
  /** Its start, in milliseconds since 1970. */
  readonly hour: number;
  readonly projects: ReadonlyMap<string, ProjectCounts>;
}
