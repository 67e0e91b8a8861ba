import type { Issuance } from '../../../server/src/domains/domain.ts';
import { Alert } from '../ui/alert.tsx';
import { Ago, Clock, Until } from '../ui/time.tsx';
import { WithCode } from '../ui/with-code.tsx';
import { isGivenUp, isWaiting } from './certificate-steps.ts';
import { type Verify, VerifyButton } from './verify.tsx';

interface IssuanceViewProps {
  readonly issuance: Issuance;
  readonly verify: Verify | undefined;
}

/** Why a certificate takes longer: the authority's problem, the remaining attempts, and what helps. */
export function IssuanceView({ issuance, verify }: IssuanceViewProps) {
  const { problem, isOverdue, isStaging } = issuance;
  return (
    <>
      {isOverdue && <Overdue verify={verify} />}
      {problem && <Refused problem={problem} isFinal={isGivenUp(issuance)} />}
      {isStaging && (
        <p className="text-muted">
          After the failure the dashboard first tries the authority’s staging directory, where
          failures do not count. A certificate from there is not served.
        </p>
      )}
      {problem && <Budget issuance={issuance} />}
    </>
  );
}

function Overdue({ verify }: { readonly verify: Verify | undefined }) {
  return (
    <Alert tone="warning">
      <p className="font-medium">30 minutes have gone by without a certificate.</p>
      <p>
        Check the DNS again: a CAA record of the name, or of a domain above it, may forbid the
        authority to issue. The check finds such a record and names the line to add.
      </p>
      {verify && (
        <div className="mt-2.5">
          <VerifyButton verify={verify} label="Verify again" variant="secondary" />
        </div>
      )}
    </Alert>
  );
}

function Refused({
  problem: { explanation, detail, type, at },
  isFinal,
}: {
  readonly problem: NonNullable<Issuance['problem']>;
  readonly isFinal: boolean;
}) {
  return (
    <Alert tone="negative">
      <p className="font-medium">
        <WithCode>{explanation}</WithCode>
      </p>
      <p className="mt-1 text-[0.8125rem] wrap-anywhere">
        The certificate authority said <Ago at={at} />: “{detail}” ({type})
      </p>
      {isFinal && (
        <p className="mt-1">
          The dashboard does not try again by itself. Once this is mended, press Verify: that starts
          over.
        </p>
      )}
    </Alert>
  );
}

/** Authorities lock out names that fail too often. This is the remaining number of failures. */
function Budget({ issuance }: { readonly issuance: Issuance }) {
  const { budget, nextAttemptAt, problem } = issuance;
  if (problem?.type === 'rateLimited') {
    // The authority's own limit is reached, whatever is left of the one here.
    return nextAttemptAt === null ? null : (
      <p>
        The certificate authority takes no more requests for now. <NextAttempt at={nextAttemptAt} />
      </p>
    );
  }
  return (
    <p>
      {budget.left} of {budget.limit} tries left this hour; the next one is safe{' '}
      {Date.parse(budget.nextSafeAt) <= Date.now() ? (
        'now'
      ) : (
        <>
          at <Clock at={budget.nextSafeAt} />
        </>
      )}
      .
      {isWaiting(issuance) && nextAttemptAt !== null && (
        <>
          {' '}
          <NextAttempt at={nextAttemptAt} />
        </>
      )}
    </p>
  );
}

function NextAttempt({ at }: { readonly at: string }) {
  return (
    <>
      The dashboard tries again at <Clock at={at} /> (<Until at={at} />
      ).
    </>
  );
}
