import { CircleAlert, CircleCheck, Clock, type LucideIcon, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Verdict } from '../../../server/src/domains/verdict.ts';
import { cx } from '../ui/class-names.ts';
import { CopyButton } from '../ui/copy.tsx';
import { Facts } from '../ui/facts.tsx';
import { count } from '../ui/format.ts';
import { WithCode } from '../ui/with-code.tsx';
import { furtherRecords } from './records.ts';
import { RecordsTable } from './records-table.tsx';
import type { ShownDomain } from './shown-domain.ts';

interface Kind {
  readonly icon: LucideIcon;
  readonly look: string;
  readonly title: string;
}

const POSITIVE = 'bg-positive-soft text-positive';
const WARNING = 'bg-warning-soft text-warning';
const NEGATIVE = 'bg-negative-soft text-negative';

const KINDS: Record<Verdict['code'], Kind> = {
  verified: { icon: CircleCheck, look: POSITIVE, title: 'All is right' },
  no_record: { icon: Clock, look: WARNING, title: 'No record yet' },
  wrong_target: { icon: CircleAlert, look: NEGATIVE, title: 'It leads elsewhere' },
  conflicting_record: { icon: CircleAlert, look: NEGATIVE, title: 'Another record is in the way' },
  apex_cname: { icon: CircleAlert, look: NEGATIVE, title: 'A CNAME cannot stand here' },
  apex_wrong_address: { icon: CircleAlert, look: NEGATIVE, title: 'It leads elsewhere' },
  ownership_missing: { icon: Clock, look: WARNING, title: 'The proof of ownership is missing' },
  near_miss: { icon: TriangleAlert, look: WARNING, title: 'Almost: look closely' },
  caa_blocks: { icon: CircleAlert, look: NEGATIVE, title: 'A CAA record forbids the certificate' },
  dns_error: { icon: TriangleAlert, look: WARNING, title: 'The DNS does not answer properly' },
};

/** The last check in words for someone who has the DNS and is no engineer. */
export function VerdictView({ domain }: { readonly domain: ShownDomain }) {
  const { verdict, unicode } = domain;
  if (verdict === null) {
    return (
      <p className="text-muted">
        The DNS of {unicode} has not been looked at yet. That happens by itself, and at once when
        someone presses Verify.
      </p>
    );
  }
  const { icon: Icon, look, title } = KINDS[verdict.code];
  const isRight = verdict.code === 'verified';
  return (
    <>
      <div role="status" className="flex items-start gap-3">
        <span className={cx('grid size-8 shrink-0 place-items-center rounded-full', look)}>
          <Icon aria-hidden className="size-4.5" />
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
          ...(isRight ? [] : [{ term: 'What to do', value: <Remedy verdict={verdict} /> }]),
        ]}
      />
      <Changes domain={domain} verdict={verdict} />
      <StillSaid domain={domain} verdict={verdict} />
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

function Remedy({ verdict }: { readonly verdict: Verdict }) {
  return (
    <p className="font-medium wrap-anywhere">
      <WithCode>{verdict.remedy}</WithCode>
    </p>
  );
}

interface ChangesProps {
  readonly domain: ShownDomain;
  readonly verdict: Verdict;
}

/** The lines to remove, and those to add that are not among the domain's own records. */
function Changes({ domain, verdict }: ChangesProps) {
  const further = furtherRecords(domain);
  return (
    <>
      {verdict.remove.length > 0 && (
        <div>
          <h3 className="mb-1.5 font-medium">Remove</h3>
          <ul className="divide-y divide-line rounded-md border border-line">
            {verdict.remove.map(({ type, name, value }) => {
              const line = `${name} ${type} ${value}`;
              return (
                <li key={line} className="flex items-start justify-between gap-2 py-0.5 pr-1 pl-3">
                  <code className="min-w-0 select-all py-1.5 font-mono text-[0.8125rem] leading-5 wrap-anywhere">
                    {line}
                  </code>
                  <span className="print:hidden">
                    <CopyButton value={line} what={`${type} record to remove`} />
                  </span>
                </li>
              );
            })}
          </ul>
        </div>
      )}
      {further.length > 0 && (
        <div>
          <h3 className="mb-1.5 font-medium">Add</h3>
          <div className="overflow-hidden rounded-md border border-line">
            <RecordsTable caption="Records to add" records={further} />
          </div>
        </div>
      )}
    </>
  );
}

const TICK_MS = 10_000;

/** How long resolvers go on giving the answer that they know, though the zone may be right by now. */
function StillSaid({ domain: { checkedAt }, verdict: { retryAfterSeconds } }: ChangesProps) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  if (checkedAt === null || retryAfterSeconds === null) return null;
  const left = Date.parse(checkedAt) + retryAfterSeconds * 1_000 - now;
  if (left <= 0) return null;
  return (
    <p className="text-[0.8125rem] text-muted">
      Resolvers may go on saying so for {count(Math.ceil(left / 60_000), 'minute')}, though the
      records are right by then: they keep an answer for as long as the zone tells them to.
    </p>
  );
}
