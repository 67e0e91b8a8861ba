import type { Domain } from '../../../../server/src/domains/domain.ts';
import type { DomainMove } from '../../../../server/src/domains/move/domain-move.ts';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/class-names.ts';
import { durationInWords } from '../../ui/format.ts';
import { CircleCheck, Clock, type IconComponent, RefreshCw } from '../../ui/icons.tsx';
import type { StepStatus } from '../../ui/step.ts';
import { Steps } from '../../ui/steps.tsx';
import { Clock as ClockTime } from '../../ui/time.tsx';

const KINDS: Record<DomainMove['state'], { icon: IconComponent; look: string; title: string }> = {
  before: {
    icon: Clock,
    look: 'bg-subtle text-muted',
    title: 'The record has not changed yet',
  },
  moving: {
    icon: RefreshCw,
    look: 'bg-accent-soft text-accent',
    title: 'The move is under way',
  },
  done: {
    icon: CircleCheck,
    look: 'bg-positive-soft text-positive',
    title: 'The move is done',
  },
};

/** How far a move is, in one sentence and three numbers. */
export function MoveState({
  move,
  domain,
}: {
  readonly move: DomainMove;
  readonly domain: Domain;
}) {
  const { icon: Icon, look, title } = KINDS[move.state];
  const isAway = move.state === 'before' && domain.movedAwayAt !== null;
  return (
    <Card>
      <div className="grid gap-4">
        <div role="status" className="flex items-start gap-3">
          <span className={cx('grid size-8 shrink-0 place-items-center rounded-full', look)}>
            <Icon className="size-4.5" />
          </span>
          <div className="min-w-0 self-center">
            <h2 className="font-semibold">{isAway ? 'It moved away' : title}</h2>
            <p className="max-w-prose wrap-anywhere">
              <Explanation move={move} domain={domain} />
            </p>
          </div>
        </div>
        <Steps label="How far it is" columns={3} steps={stepsOf(move)} />
      </div>
    </Card>
  );
}

function Explanation({ move, domain }: { readonly move: DomainMove; readonly domain: Domain }) {
  const { state, everyoneBy, servers, target } = move;
  const isAway = domain.movedAwayAt !== null;
  const main = domain.records.find(({ name }) => name === domain.hostname);
  if (state === 'done')
    return 'All name servers that answer have the new record, and every address that visitors reach serves our certificate. This page has stopped checking.';
  if (state === 'moving') {
    return everyoneBy === null ? (
      'The zone’s own servers do not agree yet: that takes a few minutes at most providers.'
    ) : Date.parse(everyoneBy) > Date.parse(move.at) ? (
      <>
        Everyone sees the new record by{' '}
        <strong className="font-semibold">
          <ClockTime at={everyoneBy} />
        </strong>{' '}
        at the latest: then the last cache that keeps to TTLs has forgotten the old one.
      </>
    ) : (
      'Every cache should have the new record by now. What is still old or has another certificate is named below.'
    );
  }
  const ttls = servers.flatMap(({ kind, ttlSeconds }) =>
    kind === 'zone' ? (ttlSeconds ?? []) : [],
  );
  return (
    <>
      {isAway ? 'To bring it back, set' : 'Set'} the {main?.type ?? 'CNAME'} record of{' '}
      <code className="font-mono text-[0.8125rem]">{main?.host ?? domain.hostname}</code> to{' '}
      <code className="font-mono text-[0.8125rem]">{target}</code> at the DNS provider. This page
      follows by itself.
      {ttls.length > 0 &&
        ` Caches keep the record of today for up to ${durationInWords(Math.max(...ttls))}.`}
    </>
  );
}

function stepsOf({ servers, certificates, state }: DomainMove) {
  const ofKind = (wanted: string) => servers.filter(({ kind }) => kind === wanted);
  const areNew = (some: DomainMove['servers']) =>
    some.filter(({ answer }) => answer === 'new').length;
  const failed = (some: DomainMove['servers']) =>
    some.filter(({ answer }) => answer === 'error').length;
  const [zone, resolvers] = [ofKind('zone'), ofKind('resolver')];
  const ours = certificates.filter(({ serves }) => serves === 'ours').length;
  const reached = certificates.filter(({ serves }) => serves !== 'unknown').length;
  const status = (done: number, all: number): StepStatus =>
    all > 0 && done === all ? 'done' : done > 0 && state !== 'before' ? 'running' : 'ahead';
  const step = (name: string, done: number, all: number, silent: number, what: string) => ({
    name,
    status: status(done, all - silent),
    note: `${done} of ${all} ${what}${silent > 0 ? `, ${silent} without an answer` : ''}`,
  });
  return [
    step('The zone’s servers', areNew(zone), zone.length, failed(zone), 'have the new record'),
    step('Resolvers', areNew(resolvers), resolvers.length, failed(resolvers), 'have it'),
    step(
      'Addresses',
      ours,
      certificates.length,
      certificates.length - reached,
      'serve our certificate',
    ),
  ];
}
