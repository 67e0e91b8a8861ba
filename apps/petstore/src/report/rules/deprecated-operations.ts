import type { RecordedRequest, Recording } from '../recorded-request.ts';
import { type Evidence, evidence, findingOf, type Rule } from '../rule.ts';

const MS_PER_DAY = 86_400_000;

const EXPECTED = 'Use the operation that Link with rel="successor-version" names.';

export const deprecatedOperations: Rule = {
  code: 'deprecated_operations',
  title: 'An operation that goes away is left before its day.',
  standard: {
    title: 'RFC 8594, section 3',
    url: 'https://www.rfc-editor.org/rfc/rfc8594#section-3',
  },
  advice: 'Send any request.',
  judge({ requests, now }) {
    const known = requests.filter(({ operation }) => operation !== undefined);
    const gone = known.filter(isGone);
    const broken = byOperation(gone).map(([name, uses]) =>
      evidence(
        uses.slice(0, 5),
        `The operation ${name} was used ${times(uses)} after it had gone.`,
        EXPECTED,
      ),
    );
    // It works until its day, so no build has to fail before; whoever reads the report is to know.
    const uses = deprecatedUses({ requests: known, now });
    if (broken.length === 0 && uses.length > 0) {
      return { verdict: 'kept', evidence: uses.map((piece) => ({ ...piece, isNotice: true })) };
    }
    const kept = known
      .slice(0, 1)
      .map((request) =>
        evidence([request], 'No response said that its operation is deprecated.', EXPECTED),
      );
    return findingOf(broken, kept);
  },
};

/** A piece of evidence for each deprecated operation that was used. */
export function deprecatedUses({ requests, now }: Pick<Recording, 'requests' | 'now'>): Evidence[] {
  const deprecated = requests.filter(({ sunset }) => sunset !== undefined);
  return byOperation(deprecated).map(([name, uses]) => {
    const sunset = uses.at(-1)?.sunset ?? 0;
    const days = Math.max(0, Math.ceil((sunset - now) / MS_PER_DAY));
    const day = new Date(sunset).toISOString().slice(0, 10);
    const left = days === 1 ? '1 day' : `${days} days`;
    const seen = `The operation ${name} was used ${times(uses)}. It goes on ${day}, in ${left}.`;
    return evidence(uses.slice(0, 5), seen, EXPECTED);
  });
}

/** Whether the operation was no longer there when it was asked for. */
function isGone({ status, sunset, fault }: RecordedRequest): boolean {
  return status === 410 && sunset !== undefined && fault === undefined;
}

function byOperation(requests: readonly RecordedRequest[]): [string, RecordedRequest[]][] {
  return [...Map.groupBy(requests, ({ operation = '' }) => operation)];
}

function times({ length }: readonly unknown[]): string {
  return length === 1 ? 'once' : `${length} times`;
}
