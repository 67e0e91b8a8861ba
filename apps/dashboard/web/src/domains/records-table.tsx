import type { ReactNode } from 'react';
import type { DnsRecord } from '../../../server/src/domains/verdict.ts';
import { BrokenName } from '../ui/broken-name.tsx';
import { cx } from '../ui/class-names.ts';
import { CopyButton } from '../ui/copy.tsx';
import {
  CircleAlert,
  CircleArrowRight,
  CircleCheck,
  CircleDashed,
  Clock,
  TriangleAlert,
} from '../ui/icons.tsx';
import type { RecordStatus } from './records.ts';

interface RecordsTableProps {
  readonly caption: string;
  readonly records: readonly DnsRecord[];
  /** The result of the last check; without it no result is shown. */
  readonly statusOf?: (record: DnsRecord) => RecordStatus;
}

const COLUMNS = [
  ['Type', 'w-28 px-4 sm:pl-5'],
  ['Host', 'w-40 px-2 lg:w-56'],
  ['Value', 'px-2'],
  ['TTL', 'w-22 px-2'],
] as const;

/** DNS records to create. Each part can be copied by itself. */
export function RecordsTable({ caption, records, statusOf }: RecordsTableProps) {
  return (
    <table className="w-full table-fixed text-left max-sm:block">
      <caption className="sr-only">{caption}</caption>
      <thead className="text-[0.8125rem] text-muted max-sm:sr-only">
        <tr className="border-line border-b">
          {COLUMNS.map(([name, look]) => (
            <th key={name} scope="col" className={cx('py-2 font-medium', look)}>
              {name}
            </th>
          ))}
          {statusOf && (
            <th scope="col" className="w-36 px-4 py-2 font-medium sm:pr-5">
              Found
            </th>
          )}
        </tr>
      </thead>
      <tbody className="divide-y divide-line max-sm:block">
        {records.map((record) => (
          <Row
            key={`${record.type} ${record.name} ${record.value}`}
            record={record}
            status={statusOf?.(record)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly record: DnsRecord;
  readonly status: RecordStatus | undefined;
}

function Row({ record, status }: RowProps) {
  const { type, name, host, value, ttl } = record;
  const which = `${type} record`;
  return (
    <tr className="align-top max-sm:block max-sm:py-2">
      <Cell label="Type" className="sm:pl-5">
        <Part value={type} what={`type of the ${which}`} />
      </Cell>
      <Cell label="Host" className="sm:px-2">
        <Part value={host} what={`host of the ${which}`} />
        {host !== name && (
          <div className="text-muted">
            <Part value={name} what={`full name of the ${which}`} />
          </div>
        )}
      </Cell>
      <Cell label="Value" className="sm:px-2">
        <Part value={value} what={`value of the ${which}`} />
      </Cell>
      <Cell label="TTL" className="sm:px-2">
        <Part value={String(ttl)} what={`TTL of the ${which}`} />
      </Cell>
      {status && (
        <Cell label="Found" className="sm:pr-5">
          <Status status={status} />
        </Cell>
      )}
    </tr>
  );
}

/** On a phone, the cells of a row are below each other, with their heading beside them. */
function Cell({
  label,
  className,
  children,
}: {
  readonly label: string;
  readonly className: string;
  readonly children: ReactNode;
}) {
  return (
    <td className={`px-4 max-sm:grid max-sm:grid-cols-[3.5rem_minmax(0,1fr)] sm:py-2 ${className}`}>
      <span aria-hidden className="py-1.5 text-[0.8125rem] text-muted sm:hidden">
        {label}
      </span>
      <div className="min-w-0">{children}</div>
    </td>
  );
}

function Part({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <div className="flex items-start gap-0.5">
      <code className="min-w-0 select-all py-1.5 font-mono text-[0.8125rem] leading-5 wrap-anywhere">
        <BrokenName>{value}</BrokenName>
      </code>
      <span className="print:hidden">
        <CopyButton value={value} what={what} />
      </span>
    </div>
  );
}

const STATUSES = {
  right: { icon: CircleCheck, look: 'text-positive', label: 'Right' },
  almost: { icon: TriangleAlert, look: 'text-warning', label: 'Almost right' },
  other: { icon: CircleAlert, look: 'text-negative', label: 'Another value' },
  missing: { icon: CircleDashed, look: 'text-warning', label: 'Missing' },
  later: { icon: Clock, look: 'text-muted', label: 'Later' },
  now: { icon: CircleArrowRight, look: 'text-accent', label: 'Change now' },
  unknown: { icon: CircleDashed, look: 'text-muted', label: 'Not seen yet' },
} as const;

function Status({ status }: { readonly status: RecordStatus }) {
  const { icon: Icon, look, label } = STATUSES[status];
  return (
    <span className={`flex items-center gap-1.5 whitespace-nowrap py-1.5 leading-5 ${look}`}>
      <Icon className="size-4 shrink-0" />
      {label}
    </span>
  );
}
