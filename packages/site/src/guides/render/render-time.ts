/** What rendering may take, in milliseconds. */
export interface RenderTime {
  /** Of one page. */
  readonly page: number;
  /** Of all pages of a site together. */
  readonly total: number;
  /** Of the whole build, for the message: its operator sets it. */
  readonly build: number;
}

/** A page of 2 MB takes one to three seconds. A malicious page would take hours. */
const PAGE_MS = 10_000;

/** Of a build's time: what is rendered has to be made into files then. */
const SHARE = 0.9;

/** The times for a build that may take so many seconds. */
export function renderTime(buildSeconds: number): RenderTime {
  const build = buildSeconds * 1_000;
  return { page: PAGE_MS, total: build * SHARE, build };
}

/** How many of the slowest pages are named, and from how many milliseconds on. */
const NAMED = 3;
const NAMED_MS = 1_000;

/** Remembers which pages took longest. */
export function slowPages() {
  let slowest: (readonly [file: string, took: number])[] = [];
  return {
    add(file: string, took: number): void {
      if (took < NAMED_MS) return;
      slowest = [...slowest, [file, took] as const].sort(([, a], [, b]) => b - a).slice(0, NAMED);
    },
    /** Why pages are not published that took too long together: how far it came, which were slow, and what to do. */
    tooSlowTogether(rendered: number, pages: number, { total, build }: RenderTime): string {
      const named = slowest.map(([file, took]) => `\`${file}\` (${seconds(took)} s)`);
      return [
        `The pages take too long to render: ${number(rendered)} of ${number(pages)} were ready after ${seconds(total)} of the ${seconds(build)} seconds that a build may take (DASHBOARD_BUILD_SECONDS, which the operator sets).`,
        ...(named.length > 0 ? [`The slowest: ${named.join(', ')}.`] : []),
        'Split slow pages, publish several sites, or have the operator raise it.',
      ].join(' ');
    },
  };
}

const number = (value: number) => value.toLocaleString('en');

const seconds = (milliseconds: number) => number(Math.round(milliseconds / 100) / 10);
