import type { Verdict } from '../../../server/src/domains/verdict.ts';
import { cx } from '../ui/class-names.ts';
import { Facts } from '../ui/facts.tsx';
import {
  CircleAlert,
  CircleCheck,
  Clock,
  type IconComponent,
  TriangleAlert,
} from '../ui/icons.tsx';
import { WithCode } from '../ui/with-code.tsx';
import { remedyOf } from './remedy.ts';
import { RemedySteps } from './remedy-steps.tsx';
import type { ShownDomain } from './shown-domain.ts';

interface Kind {
  readonly icon: IconComponent;
  readonly look: string;
  readonly title: string;
}

const POSITIVE = 'bg-positive-soft text-positive';
const WARNING = 'bg-warning-soft text-warning';
const NEGATIVE = 'bg-negative-soft text-negative';

const KINDS: Record<Verdict['code'], Kind> = {
  verified: { icon: CircleCheck, look: POSITIVE, title: 'All records are right' },
  no_record: { icon: Clock, look: WARNING, title: 'No record yet' },
  wrong_target: { icon: CircleAlert, look: NEGATIVE, title: 'It leads elsewhere' },
  conflicting_record: { icon: CircleAlert, look: NEGATIVE, title: 'Another record is in the way' },
  apex_cname: { icon: CircleAlert, look: NEGATIVE, title: 'A CNAME cannot stand here' },
  apex_wrong_address: { icon: CircleAlert, look: NEGATIVE, title: 'It leads elsewhere' },
  ownership_missing: { icon: Clock, look: WARNING, title: 'The TXT record is missing' },
  near_miss: { icon: TriangleAlert, look: WARNING, title: 'Almost right' },
  caa_blocks: { icon: CircleAlert, look: NEGATIVE, title: 'A CAA record forbids the certificate' },
  dns_error: { icon: TriangleAlert, look: WARNING, title: 'The DNS could not be checked' },
};

interface VerdictViewProps {
  readonly domain: ShownDomain;
  readonly canVerify: boolean;
}

/** The last check in words, for someone who holds the DNS and need not be an engineer. */
export function VerdictView({ domain, canVerify }: VerdictViewProps) {
  const { verdict, unicode, nextCheckAt } = domain;
  const remedy = remedyOf(domain);
  const steps = remedy && <RemedySteps domain={domain} remedy={remedy} canVerify={canVerify} />;
  if (verdict === null) {
    return (
      <>
        <p className="text-muted">
          The DNS of {unicode} has not been looked at yet.
          {nextCheckAt !== null && ' That happens by itself, too.'}
        </p>
        {steps}
      </>
    );
  }
  const { icon: Icon, look, title } = KINDS[verdict.code];
  const isRight = verdict.code === 'verified';
  return (
    <>
      <div role="status" className="flex items-start gap-3">
        <span className={cx('grid size-8 shrink-0 place-items-center rounded-full', look)}>
          <Icon className="size-4.5" />
        </span>
        <div className="min-w-0 self-center">
          <p className="font-semibold">{title}</p>
          <p className="wrap-anywhere">
            <WithCode>{verdict.message}</WithCode>
          </p>
        </div>
      </div>
      <Facts
        rows={[
          { term: 'Expected', value: <Said>{verdict.expected}</Said> },
          { term: 'Found', value: <Said>{verdict.found}</Said> },
          ...(isRight || steps ? [] : [{ term: 'What to do', value: <Words verdict={verdict} /> }]),
        ]}
      />
      {!isRight && steps}
    </>
  );
}

function Said({ children }: { readonly children: string }) {
  return (
    <span className="wrap-anywhere">
      <WithCode>{children}</WithCode>
    </span>
  );
}

/** For verdicts without a record to remove or create. */
function Words({ verdict }: { readonly verdict: Verdict }) {
  return (
    <p className="font-medium wrap-anywhere">
      <WithCode>{verdict.remedy}</WithCode>
    </p>
  );
}
