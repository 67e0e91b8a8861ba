import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Domain } from '../../../../server/src/domains/domain.ts';
import { useProject } from '../../projects/project-context.tsx';
import { domainQuery } from '../../queries/domains.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { TEXT_LINK } from '../../ui/text-link.ts';
import { DomainState, standingOf } from '../domain-state.tsx';
import { recordStatus } from '../records.ts';
import { RecordsTable } from '../records-table.tsx';

interface PairCardProps {
  readonly domain: Domain;
  /** The other half. */
  readonly pair: string;
}

/** The name with, or without, `www.`: its records and its state, and which of the two leads to the other. */
export function PairCard({ domain, pair }: PairCardProps) {
  const { slug } = useProject();
  const { data: other } = useQuery(domainQuery(slug, pair));
  if (!other) return null;
  const { hostname, unicode, records, primary } = other;
  return (
    <Card
      title={`And ${unicode}`}
      description={pairInWords(domain, other)}
      actions={
        <span className="flex items-center gap-2">
          {primary && <Badge tone="accent">Primary</Badge>}
          <DomainState domain={other} />
        </span>
      }
      footer={
        <>
          <span>{standingOf(other)}</span>
          <Link
            to="/projects/$slug/settings/domains/$hostname"
            params={{ slug, hostname }}
            className={TEXT_LINK}
          >
            Open {unicode}
          </Link>
        </>
      }
      flush
    >
      <RecordsTable
        caption={`DNS records of ${hostname}`}
        records={records}
        statusOf={(record) => recordStatus(record, other)}
      />
    </Card>
  );
}

/** How the two stand to each other. */
function pairInWords(
  one: Pick<Domain, 'unicode' | 'primary' | 'state'>,
  other: Pick<Domain, 'unicode' | 'primary' | 'state'>,
): string {
  const [first, second] = other.primary ? [other, one] : [one, other];
  const waiting = [one, other].filter(({ state }) => state === 'unverified');
  if (waiting.length === 2)
    return 'Neither of the two is verified yet. Each needs its own records.';
  if (waiting[0]) return `${waiting[0].unicode} is not verified yet. It needs its own records.`;
  if (!first.primary) return 'Both show the site, or lead to the primary domain.';
  return first.state === 'active'
    ? `${second.unicode} redirects to ${first.unicode}.`
    : `${second.unicode} redirects to ${first.unicode} once that has its certificate.`;
}
