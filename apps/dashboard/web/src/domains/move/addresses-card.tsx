import type {
  DomainMove,
  ServedCertificate,
} from '../../../../server/src/domains/move/domain-move.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { exactDay } from '../../ui/format.ts';

const SERVES = {
  ours: { tone: 'positive', label: 'Ours' },
  other: { tone: 'warning', label: 'Another one' },
  none: { tone: 'negative', label: 'None' },
  unknown: { tone: 'neutral', label: 'Not asked' },
} as const;

/** Which certificate visitors get, at each address that the DNS gives them. */
export function AddressesCard({ move }: { readonly move: DomainMove }) {
  const { certificates } = move;
  const hasV6 = certificates.some(({ family }) => family === 'IPv6');
  return (
    <Card
      title="Certificates"
      description="What visitors are shown over TLS at the addresses that the resolvers give."
      footer={
        certificates.length > 0 &&
        !hasV6 && <span>The DNS gives no IPv6 address of this name.</span>
      }
      flush
    >
      {certificates.length === 0 ? (
        <p className="px-4 py-3 text-muted sm:px-5">The resolvers give no address.</p>
      ) : (
        <ul className="divide-y divide-line">
          {certificates.map((certificate) => (
            <Row key={certificate.address} certificate={certificate} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Row({ certificate }: { readonly certificate: ServedCertificate }) {
  const { address, family, serves, issuer, notAfter, problem } = certificate;
  const { tone, label } = SERVES[serves];
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 sm:px-5">
      <code className="font-mono text-[0.8125rem] wrap-anywhere">{address}</code>
      <span className="text-muted text-xs">{family}</span>
      <Badge tone={tone}>{label}</Badge>
      <span className="min-w-0 text-[0.8125rem] text-muted wrap-anywhere">
        {problem ??
          (issuer !== null && notAfter !== null
            ? `${issuer}, until ${exactDay(notAfter)}`
            : undefined)}
      </span>
    </li>
  );
}
