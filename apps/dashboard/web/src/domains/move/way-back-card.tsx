import type { DomainMove } from '../../../../server/src/domains/move/domain-move.ts';
import { Alert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { exactTime } from '../../ui/format.ts';
import { Ago, Time } from '../../ui/time.tsx';

interface WayBackProps {
  readonly wayBack: NonNullable<DomainMove['wayBack']>;
  /** The records are those that the name has now. */
  readonly isNow: boolean;
  /** HSTS is on here. */
  readonly hasHsts: boolean;
}

/** What the name had before, and whether its host is still there. */
export function WayBackCard({ wayBack, isNow, hasHsts }: WayBackProps) {
  const { records, seenAt, answers, answer, answeredAt } = wayBack;
  return (
    <Card
      title="The way back"
      description={
        isNow
          ? 'What the name had when it was first looked at is kept here, to be put back if need be.'
          : answers
            ? 'Put this back, and visitors reach the old host again as caches forget.'
            : 'The old host does not answer now: without it there is no way back.'
      }
      actions={
        <Badge tone={answers ? 'positive' : 'warning'}>
          {answers ? 'The old host answers' : 'The old host is silent'}
        </Badge>
      }
    >
      <div className="grid gap-4">
        <div className="grid gap-2">
          {records.map(({ type, name, value, ttlSeconds }) => (
            <CopyField
              key={`${type} ${value}`}
              value={`${name} ${ttlSeconds} IN ${type} ${type === 'TXT' ? JSON.stringify(value) : value}`}
              what={`former ${type} record`}
            />
          ))}
        </div>
        <Facts
          rows={[
            {
              term: 'Seen first',
              value: (
                <Time at={seenAt}>
                  {exactTime(seenAt)} (<Ago at={seenAt} />)
                </Time>
              ),
            },
            { term: 'Old host', value: answer },
            ...(answers || answeredAt === null
              ? []
              : [{ term: 'Answered last', value: <Ago at={answeredAt} /> }]),
          ]}
        />
        {hasHsts && (
          <Alert tone="warning">
            HSTS is on here: browsers that came refuse the old host unless it has a valid
            certificate.
          </Alert>
        )}
      </div>
    </Card>
  );
}
