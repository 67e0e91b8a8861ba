import type { Metrics } from '@petstore/service/metrics/instruments.ts';
import { platformCertificates } from '../certificates/platform-names.ts';
import type { Config } from '../config.ts';
import {
  countIssuances,
  countWaitingNotices,
  readCertificateEnds,
  readQueues,
} from '../store/operator-figures.ts';
import type { Db } from '../store/schema.ts';
import { authorityLabel } from './job-metrics.ts';

/** How long the slow figures are kept, in milliseconds: their queries read whole tables. */
const SLOW_MS = 60_000;

const DAY_MS = 24 * 3_600_000;

/** The ranges of days left, each up to its bound. */
const DAYS_LEFT = [
  ['expired', 0],
  ['1', 1],
  ['7', 7],
  ['14', 14],
  ['30', 30],
  ['90', 90],
  ['more', Number.POSITIVE_INFINITY],
] as const;

type LevelsConfig = Pick<Config, 'acme' | 'platformHost' | 'dnsZone' | 'domain'>;

/** The figures that are read from the database when somebody asks for metrics. */
export class StoreLevels {
  readonly #db: Db;
  readonly #config: LevelsConfig;
  readonly #now: () => number;
  readonly #issuances;
  readonly #certificates;
  readonly #queues;
  readonly #ages;
  readonly #notices;
  #slowAt = Number.NEGATIVE_INFINITY;

  constructor(
    metrics: Metrics,
    { db, config, now }: { db: Db; config: LevelsConfig; now: () => number },
  ) {
    this.#db = db;
    this.#config = config;
    this.#now = now;
    this.#issuances = metrics.level(
      'dashboard_issuances',
      'Certificates that are wanted, by authority and by state.',
    );
    this.#certificates = metrics.level(
      'dashboard_certificates',
      'Certificates that are renewed, by the days that are left: expired, and up to so many days.',
    );
    this.#queues = metrics.level('dashboard_queue_length', 'Jobs that are due, and not begun.');
    this.#ages = metrics.level(
      'dashboard_queue_oldest_seconds',
      'For how long the oldest of them has been due; 0 where there is none.',
    );
    this.#notices = metrics.level(
      'dashboard_notices_waiting',
      'Notices that are not delivered yet, those that wait for another try included.',
    );
  }

  /** Reads the figures. Rejects where the database cannot be read; the former ones stay. */
  async refresh(): Promise<void> {
    const now = this.#now();
    for (const [queue, { length, oldest }] of Object.entries(await readQueues(this.#db, now))) {
      this.#queues.with({ queue }).set(length);
      const age = oldest === null ? 0 : Math.max(0, now - oldest) / 1_000;
      this.#ages.with({ queue }).set(age);
    }
    for (const [kind, count] of Object.entries(await countWaitingNotices(this.#db)))
      this.#notices.with({ kind }).set(count);
    if (performance.now() - this.#slowAt < SLOW_MS) return;
    await this.#refreshSlow(now);
    this.#slowAt = performance.now();
  }

  async #refreshSlow(now: number): Promise<void> {
    const issuances = await countIssuances(this.#db);
    this.#issuances.clear();
    for (const { directoryUrl, state, count } of issuances) {
      const authority = authorityLabel(this.#config.acme, directoryUrl);
      const level = this.#issuances.with({ authority, state });
      level.set(level.value + count);
    }
    const own = platformCertificates(this.#config).map(({ hostname }) => hostname);
    const ends = await readCertificateEnds(this.#db, now, own);
    for (const [days_left] of DAYS_LEFT) this.#certificates.with({ days_left }).set(0);
    for (const end of ends) {
      const left = (end - now) / DAY_MS;
      const [days_left] = DAYS_LEFT.find(([, bound]) => left <= bound) ?? ['more'];
      const level = this.#certificates.with({ days_left });
      level.set(level.value + 1);
    }
  }
}
