import type { ReportStore } from '../store/contract/report-store.ts';
import type { ResourceStore } from '../store/store.ts';
import type { ChallengeRun } from './challenge-run.ts';
import { type Challenge, LONGEST_WAIT_MS } from './challenges/challenge.ts';
import { challengeOf } from './challenges/challenges.ts';
import { judge } from './judge.ts';
import type { RecordedRequest } from './recorded-request.ts';
import type { Recorder } from './recorder.ts';
import { type Report, reportOf } from './report.ts';
import type { Rule } from './rule.ts';

export interface ReportsDeps {
  readonly store: ReportStore;
  readonly recorder: Recorder;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** Judges what was recorded. */
export class Reports {
  readonly #deps: ReportsDeps;

  constructor(deps: ReportsDeps) {
    this.#deps = deps;
  }

  /** The report on all that a sandbox saw. */
  async report(sandbox: string): Promise<Report> {
    const { requests, isWhole } = await this.#recorded(sandbox, 0);
    const run = await this.#deps.store.run(sandbox);
    const rules = judge({
      ...{ requests, isWhole, deliveries: run?.deliveries ?? [] },
      ...{ isOver: false, longestWaitMs: LONGEST_WAIT_MS, now: this.#deps.now() },
    });
    return reportOf(sandbox, requests, { rules, isWhole });
  }

  /** The verdict of the challenge that a sandbox is at, as it stands. `store`: the sandbox's own. */
  async verdict(sandbox: string, run: ChallengeRun, store: ResourceStore): Promise<Report> {
    const challenge = challengeOf(run.code);
    const { requests: all, isWhole } = await this.#recorded(sandbox, run.after);
    const requests = all.filter(({ number }) => number <= (run.until ?? number));
    const { longestWaitMs } = challenge;
    const wanted = rulesOf(challenge);
    const rules = judge(
      {
        ...{ requests, isWhole, deliveries: run.deliveries ?? [] },
        ...{ isOver: run.endedAt !== undefined, longestWaitMs, now: this.#deps.now() },
        names: await namesIn(store),
      },
      wanted,
    );
    const { title } = challenge;
    const asked = challenge.rules.length;
    return reportOf(sandbox, requests, { rules, isWhole }, { title, run, asked });
  }

  /** The number of the last request. */
  async lastNumber(sandbox: string): Promise<number> {
    const { requests } = await this.#recorded(sandbox, 0);
    return requests.reduce((last, { number }) => Math.max(last, number), 0);
  }

  /** The requests behind a number, in the order in which they came. */
  async #recorded(
    sandbox: string,
    after: number,
  ): Promise<{ requests: RecordedRequest[]; isWhole: boolean }> {
    const { store, recorder } = this.#deps;
    await recorder.flush();
    const requests = (await store.requests(sandbox)).filter(({ number }) => number > after);
    const isWhole =
      recorder.lostOf(sandbox) === 0 && requests.every(({ number }, i) => number === after + i + 1);
    return { requests: requests.sort((a, b) => a.at - b.at || a.number - b.number), isWhole };
  }
}

/** The rules of a challenge: first those that have to be seen, then those that must not be broken. */
function rulesOf({ rules, watched }: Challenge): Rule[] {
  return [...rules, ...watched.filter((rule) => !rules.includes(rule))];
}

/** More animals than a challenge makes are not counted. */
const MAX_PAGES = 20;

/** How often each name is among the animals of a store. */
async function namesIn({ pets }: ResourceStore): Promise<Map<string, number>> {
  const names = new Map<string, number>();
  let after: bigint | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { json, next } = await pets.list({ limit: 100, after, status: undefined });
    for (const { name } of JSON.parse(json) as { name: string }[]) {
      names.set(name, (names.get(name) ?? 0) + 1);
    }
    if (next === undefined) break;
    after = next;
  }
  return names;
}
