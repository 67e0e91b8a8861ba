import type { ReactNode } from 'react';
import type { DomainMove, ServerAnswer } from '../../../../server/src/domains/move/domain-move.ts';
import { BrokenName } from '../../ui/broken-name.tsx';
import { Card } from '../../ui/card.tsx';
import { durationInWords } from '../../ui/format.ts';
import { CircleAlert, CircleCheck, CircleDashed, Clock } from '../../ui/icons.tsx';
import { Ago } from '../../ui/time.tsx';
import { Countdown } from './countdown.tsx';

/** What every name server says, and how long caches keep it. */
export function ServersCard({
  move,
  isAway,
}: {
  readonly move: DomainMove;
  /** The name moved away: there is no old and new, but here and elsewhere. */
  readonly isAway: boolean;
}) {
  const { servers, at, state } = move;
  const zone = servers.filter(({ kind }) => kind === 'zone');
  const resolvers = servers.filter(({ kind }) => kind === 'resolver');
  return (
    <Card
      title="Name servers"
      description="The zone’s own servers say what is right. Resolvers, which visitors ask, repeat what they heard until its TTL is over."
      footer={
        <span>
          Asked <Ago at={at} />
          {state === 'done' ? '; not asked any more' : '; asked again every few seconds'}
        </span>
      }
      flush
    >
      <Group title="The zone’s own" servers={zone} at={at} isAway={isAway}>
        They could not be found from here, so the resolvers decide.
      </Group>
      <Group title="Resolvers" servers={resolvers} at={at} isAway={isAway}>
        None is known to this dashboard.
      </Group>
    </Card>
  );
}

interface GroupProps {
  readonly title: string;
  readonly servers: readonly ServerAnswer[];
  readonly at: string;
  readonly isAway: boolean;
  /** Shown where there are none. */
  readonly children: ReactNode;
}

function Group({ title, servers, at, isAway, children }: GroupProps) {
  return (
    <section aria-label={title} className="not-first:border-line not-first:border-t">
      <h3 className="bg-canvas px-4 py-1.5 font-medium text-[0.8125rem] text-muted sm:px-5">
        {title}
      </h3>
      {servers.length === 0 ? (
        <p className="px-4 py-3 text-muted sm:px-5">{children}</p>
      ) : (
        <ul className="divide-y divide-line">
          {servers.map((server) => (
            <Row key={`${server.kind} ${server.name}`} server={server} at={at} isAway={isAway} />
          ))}
        </ul>
      )}
    </section>
  );
}

const ANSWERS = {
  new: { icon: CircleCheck, look: 'text-positive', label: 'New', away: 'Here' },
  old: { icon: Clock, look: 'text-warning', label: 'Old', away: 'Elsewhere' },
  none: { icon: CircleDashed, look: 'text-warning', label: 'No record', away: 'No record' },
  error: { icon: CircleAlert, look: 'text-negative', label: 'No answer', away: 'No answer' },
} as const;

interface RowProps extends Pick<GroupProps, 'at' | 'isAway'> {
  readonly server: ServerAnswer;
}

function Row({ server, at, isAway }: RowProps) {
  const { name, address, answer, records, error } = server;
  const { icon: Icon, look, label, away } = ANSWERS[answer];
  return (
    <li className="grid gap-x-4 gap-y-1 px-4 py-2.5 sm:grid-cols-[minmax(0,14rem)_6.5rem_minmax(0,1fr)_auto] sm:px-5">
      <div className="min-w-0">
        <code className="font-mono text-[0.8125rem] wrap-anywhere">{withoutPort(name)}</code>
        {address !== null && address !== name && (
          <div className="font-mono text-muted text-xs">{address}</div>
        )}
      </div>
      <span className={`flex items-start gap-1.5 whitespace-nowrap ${look}`}>
        <Icon className="mt-0.5 size-4 shrink-0" />
        {isAway ? away : label}
      </span>
      <div className="min-w-0 wrap-anywhere">
        {error ??
          records.map(({ type, value }) => (
            <div key={`${type} ${value}`}>
              <span className="text-muted">{type}</span>{' '}
              <code className="font-mono text-[0.8125rem]">
                <BrokenName>{value}</BrokenName>
              </code>
            </div>
          ))}
      </div>
      <span className="text-[0.8125rem] text-muted sm:text-right">
        <Kept server={server} at={at} />
      </span>
    </li>
  );
}

function Kept({ server, at }: { readonly server: ServerAnswer; readonly at: string }) {
  const { kind, ttlSeconds } = server;
  if (ttlSeconds === null) return null;
  if (kind === 'zone') return `TTL ${durationInWords(ttlSeconds)}`;
  return (
    <>
      forgets in <Countdown until={Date.parse(at) + ttlSeconds * 1_000} />
    </>
  );
}

/** A resolver is asked at port 53 unless something else is said. */
const withoutPort = (name: string) => name.replace(/:53$/, '');
