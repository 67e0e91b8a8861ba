import { share } from './share.ts';
import type { AuthorityPlan, Failure, Outage } from './simulated-authority.ts';
import type { YearPlan } from './year.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Let's Encrypt's default changes within this year, from 64 days and 10 days of reuse to 45 days and 7 hours. */
const START = Date.parse('2027-06-01T00:00:00Z');
const SHORTER_FROM = Date.parse('2028-02-16T00:00:00Z');

/** Of a hundred names, how many have certificates of so many days; the others have the authority's default. */
const SHARES: readonly (readonly [share: number, days: number])[] = [
  [0.5, 1],
  [3, 6],
  [3, 10],
  [10, 90],
];

/** The lifetime of a name's certificates in days; undefined: the default. */
export function lifetimeOf(hostname: string): number | undefined {
  let left = share(hostname) * 100;
  for (const [part, days] of SHARES) {
    if (left < part) return days;
    left -= part;
  }
  return undefined;
}

const outage = (failure: Failure, day: number, hours: number): Outage => ({
  ...{ failure, from: START + day * DAY_MS },
  until: START + day * DAY_MS + hours * HOUR_MS,
});

/** The first authority has limits, renewal information and most of the trouble. */
const FIRST: readonly Outage[] = [
  outage('away', 12, 2),
  outage('errors', 25.3, 7 * 24),
  // The last third of a lifetime of six days.
  outage('away', 40.1, 48),
  outage('bad chains', 55.5, 3),
  outage('rate limited', 70.2, 24),
  outage('account lost', 85, 4),
  outage('away', 100.6, 12),
  outage('no profile', 120, 24),
  outage('away', 150.4, 5 * 24),
  outage('errors', 180, 3 * 24),
  outage('rate limited', 210, 3 * 24),
  outage('away', 240.2, 36),
  // With the day on which lifetimes become shorter.
  outage('errors', 259.5, 48),
  outage('away', 290.7, 24),
  outage('bad chains', 310, 12),
  outage('away', 330.1, 72),
];

/** The second one has no renewal information, and is away together with the first one twice. */
const SECOND: readonly Outage[] = [
  outage('errors', 5, 24),
  outage('away', 100.5, 24),
  outage('away', 151, 48),
  outage('account lost', 205, 12),
  outage('rate limited', 330, 48),
];

/** All three fail together for four hours at most: a certificate of a day has eight left when its renewal begins. */
const THIRD: readonly Outage[] = [outage('away', 60, 48), outage('errors', 331, 4)];

/** How long an outage of a name's own server takes, in milliseconds, and which share of names has one in a month. */
const NAME_AWAY_MS = 12 * HOUR_MS;
const NAMES_AWAY = 0.02;

/**
 * The year, with fewer names or days where a shorter one is wanted. `scale`: by how much outages come sooner, so that a
 * short run meets them, too.
 */
export function yearPlan(
  databaseUrl: string,
  { names = 10_000, days = 365, scale = 1 } = {},
): Omit<YearPlan, 'onDay'> {
  const sooner = (outages: readonly Outage[]) =>
    outages.map(({ failure, from, until }) => {
      const begin = START + (from - START) * scale;
      return { failure, from: begin, until: begin + (until - from) * Math.max(scale, 0.25) };
    });
  const lifetimeMs = (byDefault: (at: number) => number) => (hostname: string, at: number) =>
    (lifetimeOf(hostname) ?? byDefault(at)) * DAY_MS;
  const authorities: AuthorityPlan[] = [
    {
      ...{ name: 'first', directoryUrl: 'https://first.test/directory', hasRenewalInfo: true },
      lifetimeMs: lifetimeMs((at) => (at < SHORTER_FROM ? 64 : 45)),
      reuseMs: (at) => (at < SHORTER_FROM ? 10 * DAY_MS : 7 * HOUR_MS),
      outages: sooner(FIRST),
      profile: 'tlsserver',
      // Three of a hundred, at once.
      revocation: {
        at: START + 135.5 * DAY_MS * scale,
        isRevoked: (hostname) => share(`revoked ${hostname}`) < 0.03,
      },
    },
    {
      ...{ name: 'second', directoryUrl: 'https://second.test/directory', hasRenewalInfo: false },
      lifetimeMs: lifetimeMs(() => 90),
      reuseMs: () => 0,
      outages: sooner(SECOND),
    },
    {
      ...{ name: 'third', directoryUrl: 'https://third.test/directory', hasRenewalInfo: true },
      lifetimeMs: lifetimeMs(() => 90),
      reuseMs: () => 7 * HOUR_MS,
      outages: sooner(THIRD),
    },
  ];
  return {
    ...{ databaseUrl, start: START, days, authorities },
    names: Array.from({ length: names }, (_, at) => `docs.n${at}.test`),
    addedInADay: Math.ceil(names / 20),
    isNameAway(hostname, at) {
      // A certificate of a day has eight hours left at its renewal: no outage of half a day.
      if (lifetimeOf(hostname) === 1) return false;
      const month = Math.floor((at - START) / (30 * DAY_MS));
      if (share(`${hostname} ${month}`) >= NAMES_AWAY) return false;
      const from = START + month * 30 * DAY_MS + share(`when ${hostname} ${month}`) * 29 * DAY_MS;
      return at >= from && at < from + NAME_AWAY_MS;
    },
  };
}
