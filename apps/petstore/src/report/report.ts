import type { ChallengeRun } from './challenge-run.ts';
import type { Judgement } from './judge.ts';
import type { RecordedRequest } from './recorded-request.ts';
import type { Evidence, Verdict } from './rule.ts';

/** What is said of a client: of all that a sandbox saw, or of a challenge. */
export interface Report {
  /** The name of the sandbox, or its id. */
  readonly sandbox: string;
  readonly challenge?: ReportedChallenge | undefined;
  /** `broken` where a rule is, `kept` where all that count are, otherwise `not_seen`. */
  readonly verdict: Verdict;
  readonly requests: {
    readonly count: number;
    /** Whether they are all that there were: only the newest are kept. */
    readonly isWhole: boolean;
    /** When the first and the last came, in milliseconds since 1970; undefined for none. */
    readonly from: number | undefined;
    readonly to: number | undefined;
  };
  readonly rules: readonly Judgement[];
}

interface ReportedChallenge {
  readonly code: string;
  readonly title: string;
  readonly seed: number;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
}

export function reportOf(
  sandbox: string,
  requests: readonly RecordedRequest[],
  { rules, isWhole }: { rules: readonly Judgement[]; isWhole: boolean },
  challenge?: { readonly title: string; readonly run: ChallengeRun; readonly asked: number },
): Report {
  const { title = '', run, asked } = challenge ?? {};
  return {
    sandbox,
    ...(run && {
      challenge: {
        ...{ code: run.code, title, seed: run.seed },
        ...{ startedAt: run.startedAt, endedAt: run.endedAt },
      },
    }),
    verdict: verdictOf(rules, asked),
    requests: {
      ...{ count: requests.length, isWhole },
      ...{ from: requests.at(0)?.at, to: requests.at(-1)?.at },
    },
    rules,
  };
}

/** `asked`: the first rules, so many, have to be seen; in general a rule that was not seen does no harm. */
function verdictOf(rules: readonly Judgement[], asked: number | undefined): Verdict {
  const verdicts = rules.map(({ verdict }) => verdict);
  if (verdicts.includes('broken')) return 'broken';
  const isSeen =
    asked === undefined
      ? verdicts.includes('kept')
      : !verdicts.slice(0, asked).includes('not_seen');
  return isSeen ? 'kept' : 'not_seen';
}

/** The report as it is sent: times as text. */
export function reportJson({ challenge, requests, ...report }: Report): object {
  const time = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  const { startedAt, endedAt, ...named } = challenge ?? {};
  return {
    sandbox: report.sandbox,
    ...(challenge && {
      challenge: { ...named, startedAt: time(startedAt), endedAt: time(endedAt) },
    }),
    verdict: report.verdict,
    requests: { ...requests, from: time(requests.from), to: time(requests.to) },
    rules: report.rules,
  };
}

/** The evidence of a rule that readers have to be told of: all that breaks it, and notices. */
export function toldOf({ verdict, evidence }: Pick<Judgement, 'verdict' | 'evidence'>): Evidence[] {
  return evidence.filter(({ isNotice }) => verdict === 'broken' || isNotice);
}

/** How many rules have each verdict. */
export function countsOf({ rules }: Report): Record<Verdict, number> {
  const count = (wanted: Verdict) => rules.filter(({ verdict }) => verdict === wanted).length;
  return { kept: count('kept'), broken: count('broken'), not_seen: count('not_seen') };
}

/** What the verdict of a challenge, or of a report, is in two or three words. */
export function summaryOf(report: Report): string {
  const first = report.rules.find(({ verdict }) => verdict === 'broken');
  if (first) {
    const at = first.evidence[0]?.requests.at(-1);
    return at === undefined ? `broke ${first.code}` : `broke ${first.code} at request ${at}`;
  }
  if (report.verdict === 'kept') return 'passed';
  return report.challenge ? 'not finished' : 'nothing seen yet';
}
