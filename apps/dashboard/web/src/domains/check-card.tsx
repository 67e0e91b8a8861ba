import { Card } from '../ui/card.tsx';
import { Ago, Until } from '../ui/time.tsx';
import type { ShownDomain } from './shown-domain.ts';
import { VerdictView } from './verdict-view.tsx';
import { type Verify, VerifyButton, VerifyRefusal } from './verify.tsx';

interface CheckCardProps {
  readonly domain: ShownDomain;
  /** Undefined for those who may only look. */
  readonly verify: Verify | undefined;
}

/** What the DNS has now, compared with what it should have. */
export function CheckCard({ domain, verify }: CheckCardProps) {
  return (
    <Card
      title="DNS check"
      actions={
        verify && (
          <VerifyButton
            verify={verify}
            label="Verify"
            variant={domain.state === 'unverified' ? 'primary' : 'secondary'}
          />
        )
      }
      footer={
        <span>
          <CheckTimes domain={domain} />
        </span>
      }
    >
      <div className="grid gap-4">
        {verify && <VerifyRefusal verify={verify} />}
        <VerdictView domain={domain} canVerify={verify !== undefined} />
      </div>
    </Card>
  );
}

function CheckTimes({ domain: { state, checkedAt, nextCheckAt } }: Omit<CheckCardProps, 'verify'>) {
  return (
    <>
      {checkedAt === null ? (
        'Not checked yet'
      ) : (
        <>
          Checked <Ago at={checkedAt} />
        </>
      )}
      {' · '}
      {nextCheckAt === null ? (
        state === 'unverified' ? (
          'no longer checked by itself: press Verify once the records are there'
        ) : (
          'no check is due'
        )
      ) : (
        <>
          next check <Until at={nextCheckAt} />
        </>
      )}
    </>
  );
}
