import type { InstallationZone } from '../../../server/src/zone/zone.ts';
import { RecordsTable } from '../domains/records-table.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Facts } from '../ui/facts.tsx';
import { Until } from '../ui/time.tsx';

type OwnCertificate = NonNullable<InstallationZone['wildcard']>;

interface CertificateCardProps {
  readonly title: string;
  /** What the certificate is for, before its names. */
  readonly purpose: string;
  readonly own: OwnCertificate;
}

/** A certificate of the installation's own names, and the record by which it is proven. */
export function CertificateCard({ title, purpose, own }: CertificateCardProps) {
  const { hostname, names, record, isLed, certificate, problem, nextAttemptAt } = own;
  const status = isLed === null ? 'unknown' : isLed ? 'right' : 'missing';
  const rows = [
    {
      term: 'Certificate',
      value: certificate ? (
        <>
          {certificate.issuer}, ends <Until at={certificate.notAfter} />
        </>
      ) : (
        'none yet'
      ),
    },
    ...(problem === null ? [] : [{ term: 'Last attempt', value: problem }]),
    ...(nextAttemptAt === null
      ? []
      : [
          {
            term: certificate && problem === null ? 'Renewal' : 'Next attempt',
            value: <Until at={nextAttemptAt} />,
          },
        ]),
  ];
  return (
    <Card
      title={title}
      description={`${purpose}: ${names.join(' and ')}. It is obtained and renewed by itself${record ? ', once this record leads its challenges into the zone' : ''}.`}
      actions={
        certificate ? <Badge tone="positive">Served</Badge> : <Badge tone="neutral">None yet</Badge>
      }
      flush
    >
      {record && (
        <RecordsTable
          caption={`Record for the certificate of ${hostname}`}
          records={[record]}
          statusOf={() => status}
        />
      )}
      <div className="border-line border-t px-4 py-4 first:border-t-0 sm:px-5">
        <Facts rows={rows} />
      </div>
    </Card>
  );
}
