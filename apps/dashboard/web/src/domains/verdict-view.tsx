import type { ReactNode } from 'react';
import type { DnsRecord, Verdict } from '../../../server/src/domains/verdict.ts';
import { BrokenName } from '../ui/broken-name.tsx';
import { cx } from '../ui/class-names.ts';
import { CopyButton } from '../ui/copy.tsx';
import { Facts } from '../ui/facts.tsx';
import { count } from '../ui/format.ts';
import { CircleAlert, CircleCheck, Clock, TriangleAlert } from '../ui/icons.tsx';
import { Outcome, type OutcomeKind } from '../ui/outcome.tsx';
import { useNow } from '../ui/time.tsx';
import { WithCode } from '../ui/with-code.tsx';
import { zoneOf } from './records.ts';
import { type Remedy, remedyOf, waitInWords } from './remedy.ts';
import type { ShownDomain } from './shown-domain.ts';

const KINDS: Record<Verdict['code'], OutcomeKind> = {
  verified: { icon: CircleCheck, look: 'positive', title: 'All records are right' },
  no_record: { icon: Clock, look: 'warning', title: 'No record yet' },
  wrong_target: { icon: CircleAlert, look: 'negative', title: 'It leads elsewhere' },
  conflicting_record: {
    icon: CircleAlert,
    look: 'negative',
    title: 'Another record is in the way',
  },
  apex_cname: { icon: CircleAlert, look: 'negative', title: 'A CNAME cannot stand here' },
  apex_wrong_address: { icon: CircleAlert, look: 'negative', title: 'It leads elsewhere' },
  ownership_missing: { icon: Clock, look: 'warning', title: 'The TXT record is missing' },
  near_miss: { icon: TriangleAlert, look: 'warning', title: 'Almost right' },
  caa_blocks: {
    icon: CircleAlert,
    look: 'negative',
    title: 'A CAA record forbids the certificate',
  },
  dns_error: { icon: TriangleAlert, look: 'warning', title: 'The DNS could not be checked' },
};

const BROKEN_CHAIN: OutcomeKind = {
  icon: CircleAlert,
  look: 'negative',
  title: 'DNSSEC is broken, so nobody believes the records',
};

const PREPARED: OutcomeKind = { icon: CircleCheck, look: 'positive', title: 'Prepared' };
const CHALLENGE_MISSING: OutcomeKind = {
  icon: TriangleAlert,
  look: 'warning',
  title: 'It leads here; one record is missing',
};

function kindOf({ code, reason }: Verdict): OutcomeKind {
  if (reason.startsWith('dnssec_')) return BROKEN_CHAIN;
  if (reason === 'prepared') return PREPARED;
  return code === 'verified' && reason === 'challenge_missing' ? CHALLENGE_MISSING : KINDS[code];
}

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
  const isRight = verdict.code === 'verified';
  return (
    <>
      <VerdictSummary verdict={verdict} hasSteps={steps !== undefined} />
      {(!isRight || verdict.add.length > 0) && steps}
    </>
  );
}

interface VerdictSummaryProps {
  readonly verdict: Verdict;
  /** What to do follows, step by step. */
  readonly hasSteps: boolean;
}

/** A verdict in words: what is the matter, what was expected, what was found. */
export function VerdictSummary({ verdict, hasSteps }: VerdictSummaryProps) {
  const isRight = verdict.code === 'verified';
  return (
    <>
      <Outcome kind={kindOf(verdict)}>
        <WithCode>{verdict.message}</WithCode>
      </Outcome>
      <Facts
        rows={[
          { term: 'Expected', value: <Said>{verdict.expected}</Said> },
          { term: 'Found', value: <Said>{verdict.found}</Said> },
          ...(isRight && isAnyForbidden(verdict)
            ? [{ term: 'CAA', value: <AllowedAuthorities verdict={verdict} /> }]
            : []),
          ...(isRight || hasSteps
            ? []
            : [{ term: 'What to do', value: <Words verdict={verdict} /> }]),
        ]}
      />
    </>
  );
}

function isAnyForbidden({ authorities = [] }: Verdict): boolean {
  return authorities.some(({ isAllowed }) => !isAllowed);
}

/** Which authorities the CAA records allow. One is enough; the others stand in where that one fails. */
function AllowedAuthorities({ verdict: { authorities = [] } }: { readonly verdict: Verdict }) {
  return (
    <ul className="grid gap-0.5">
      {authorities.map(({ name, identity, isAllowed, directoryUrl }) => (
        <li key={directoryUrl} className={cx('wrap-anywhere', !isAllowed && 'text-muted')}>
          {isAllowed ? `${name} may issue` : `${name} may not: no CAA record allows `}
          {!isAllowed && <code className="font-mono text-[0.8125rem]">{identity}</code>}
        </li>
      ))}
    </ul>
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

interface RemedyStepsProps {
  readonly domain: ShownDomain;
  readonly remedy: Remedy;
  /** Whether the reader has a button to verify. */
  readonly canVerify: boolean;
}

/** What to do, step by step, for someone who has not done it before. */
function RemedySteps({ domain, remedy, canVerify }: RemedyStepsProps) {
  const { unicode, records } = domain;
  const { remove, add, otherwise } = remedy;
  const zone = records[0] ? zoneOf(records[0]) : unicode;
  return (
    <div>
      <h3 className="mb-1.5 font-medium">What to do</h3>
      <ol className="grid list-decimal gap-3 pl-5 marker:text-muted">
        <li className="pl-1 wrap-anywhere">
          Sign in where the DNS of {zone} is managed: mostly where the domain was bought.
        </li>
        {remove.length > 0 && (
          <li className="pl-1">
            Remove {remove.length === 1 ? 'this record' : count(remove.length, 'record')}:
            <Removals remove={remove} />
          </li>
        )}
        {add.map((record) => (
          <li key={`${record.type} ${record.name} ${record.value}`} className="pl-1 wrap-anywhere">
            {record.type === 'CAA'
              ? // It may belong to a name above the domain, which is shown nowhere else on the page.
                `Add this CAA record for ${record.name}; keep those that are there:`
              : `Create ${aRecord(record)}:`}
            <Creation record={record} />
          </li>
        ))}
        <li className="pl-1">
          {canVerify
            ? 'Press Verify here.'
            : 'Wait for the next check here, or have Verify pressed.'}{' '}
          <Wait domain={domain} />
        </li>
      </ol>
      {otherwise !== undefined && <p className="mt-3 text-muted">{otherwise}</p>}
    </div>
  );
}

function aRecord({ type }: DnsRecord): string {
  return `${type === 'ALIAS' ? 'an' : 'a'} ${type} record`;
}

const BOX = 'mt-1.5 divide-y divide-line rounded-md border border-line';
const CODE = 'min-w-0 select-all py-1.5 font-mono text-[0.8125rem] leading-5 wrap-anywhere';

function Removals({ remove }: Pick<Verdict, 'remove'>) {
  return (
    <div className={BOX}>
      {remove.map(({ type, name, value }) => {
        const line = `${name} ${type} ${value}`;
        return (
          <div key={line} className="flex items-start justify-between gap-2 py-0.5 pr-1 pl-3">
            <code className={CODE}>
              <BrokenName>{line}</BrokenName>
            </code>
            <span className="print:hidden">
              <CopyButton value={line} what={`${type} record to remove`} />
            </span>
          </div>
        );
      })}
    </div>
  );
}

function Creation({ record: { type, host, value, ttl } }: { readonly record: DnsRecord }) {
  return (
    <dl className={BOX}>
      <Part label="Host" value={host} what={`host of the ${type} record to create`} />
      <Part label="Value" value={value} what={`value of the ${type} record to create`} />
      <Part label="TTL" value={String(ttl)} what={`TTL of the ${type} record to create`} />
    </dl>
  );
}

function Part({
  label,
  value,
  what,
}: {
  readonly label: string;
  readonly value: string;
  readonly what: string;
}): ReactNode {
  return (
    <div className="grid grid-cols-[3rem_minmax(0,1fr)_auto] items-start py-0.5 pr-1 pl-3">
      <dt className="py-1.5 text-[0.8125rem] text-muted leading-5">{label}</dt>
      <dd className="flex">
        <code className={CODE}>
          <BrokenName>{value}</BrokenName>
        </code>
      </dd>
      <dd className="print:hidden">
        <CopyButton value={value} what={what} />
      </dd>
    </div>
  );
}

const TICK_MS = 10_000;

/** The one sentence about waiting, with how much longer resolvers keep the cached answer. */
function Wait({ domain: { checkedAt, verdict } }: { readonly domain: ShownDomain }) {
  const now = useNow(TICK_MS);
  const seconds = verdict?.retryAfterSeconds ?? 0;
  const left = checkedAt === null ? 0 : Date.parse(checkedAt) / 1_000 + seconds - now / 1_000;
  return waitInWords(left);
}
