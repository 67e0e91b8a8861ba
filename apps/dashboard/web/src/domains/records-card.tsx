import { Card } from '../ui/card.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { instructions } from './instructions.ts';
import { awaitsMove, stageOf } from './preparation.ts';
import { recordStatus, zoneOf } from './records.ts';
import { RecordsTable } from './records-table.tsx';
import type { ShownDomain } from './shown-domain.ts';

interface RecordsCardProps {
  readonly domain: ShownDomain;
  /** The address of the same page without signing in, for the text to pass on; null: not for this reader. */
  readonly link: string | null;
}

/** The records to create in the DNS, and which of them exist. */
export function RecordsCard({ domain, link }: RecordsCardProps) {
  const { hostname, records, state, movedAwayAt } = domain;
  const isWanted = state === 'unverified' || movedAwayAt !== null || awaitsMove(domain);
  const [first] = records;
  if (!first) return null;
  const zone = zoneOf(first);
  return (
    <Card
      title="DNS records"
      description={wanted(domain, zone)}
      actions={
        <span className="print:hidden">
          <CopyButton value={instructions(domain, link)} what="instructions" text="Copy as text" />
        </span>
      }
      footer={isWanted && <Hints domain={domain} zone={zone} host={first.host} />}
      flush
    >
      <RecordsTable
        caption={`DNS records of ${hostname}`}
        records={records}
        statusOf={(record) => recordStatus(record, domain)}
      />
    </Card>
  );
}

/** What to do with the records. */
function wanted(domain: ShownDomain, zone: string): string {
  const { unicode, records, state, movedAwayAt } = domain;
  const what = records.length === 1 ? 'this record' : 'these records';
  switch (stageOf(domain)) {
    case 'proof':
      return `Create the first record where the DNS of ${zone} is managed, and leave ${unicode} as it is. The second record takes its place later.`;
    case 'certificate':
      return `Keep the first record. Leave ${unicode} as it is until the certificate is there.`;
    case 'ready':
      return `Keep the first record. Now the second takes the place of what ${unicode} has where the DNS of ${zone} is managed.`;
    default:
      return state === 'unverified' || movedAwayAt !== null || awaitsMove(domain)
        ? `Create ${what} where the DNS of ${zone} is managed.`
        : `Keep ${what}: without ${records.length === 1 ? 'it' : 'them'} ${unicode} no longer leads here.`;
  }
}

interface HintsProps {
  readonly domain: ShownDomain;
  readonly zone: string;
  readonly host: string;
}

function Hints({ domain: { isApex, hostname, records }, zone, host }: HintsProps) {
  return (
    <div className="grid max-w-prose gap-1.5 py-1">
      <p>
        {host === '@' ? (
          <>
            Enter <Code>@</Code> as the host for {zone} itself; some panels want the field left
            empty.
          </>
        ) : (
          <>
            Enter only <Code>{host}</Code> as the host
            {records.length > 1 && ' of the first record, and likewise for the others'}: most panels
            add <Code>{`.${zone}`}</Code> by themselves, and would make{' '}
            <Code>{`${hostname}.${zone}`}</Code> of the full name.
          </>
        )}
      </p>
      {isApex && (
        <p>
          ALIAS is called ANAME or CNAME flattening by some providers. A plain CNAME does not work
          for {zone} itself.
        </p>
      )}
    </div>
  );
}

function Code({ children }: { readonly children: string }) {
  return <code className="font-mono text-xs wrap-anywhere">{children}</code>;
}
