import type { Rehearsal } from '../../../../server/src/domains/rehearsal/rehearsal.ts';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/class-names.ts';
import { count } from '../../ui/format.ts';
import {
  CircleAlert,
  CircleCheck,
  type IconComponent,
  Info,
  LoaderCircle,
  TriangleAlert,
} from '../../ui/icons.tsx';
import { Ago } from '../../ui/time.tsx';

interface Look {
  readonly icon: IconComponent;
  readonly colors: string;
  readonly title: string;
}

const VERDICTS: Record<NonNullable<Rehearsal['result']>['verdict'], Look> = {
  ready: {
    icon: CircleCheck,
    colors: 'bg-positive-soft text-positive',
    title: 'Ready to move',
  },
  not_ready: {
    icon: TriangleAlert,
    colors: 'bg-warning-soft text-warning',
    title: 'Not ready yet',
  },
  nothing_to_move: {
    icon: Info,
    colors: 'bg-subtle text-muted',
    title: 'There is nothing to move',
  },
};

interface VerdictCardProps {
  readonly rehearsal: Rehearsal;
  readonly hostname: string;
}

/** The one verdict of a rehearsal, or how far it is. */
export function VerdictCard({ rehearsal, hostname }: VerdictCardProps) {
  const { requestedBy, requestedAt, finishedAt } = rehearsal;
  const { icon: Icon, colors, title, message } = shownBy(rehearsal, hostname);
  return (
    <Card
      footer={
        <span className="break-words">
          {finishedAt === null ? 'Started' : 'Rehearsed'} <Ago at={finishedAt ?? requestedAt} /> by{' '}
          {requestedBy}
        </span>
      }
    >
      <div role="status" className="flex items-start gap-3.5">
        <span className={cx('grid size-10 shrink-0 place-items-center rounded-full', colors)}>
          <Icon className={cx('size-5.5', finishedAt === null && 'motion-safe:animate-spin')} />
        </span>
        <div className="min-w-0 self-center">
          <p className="font-semibold text-base">{title}</p>
          <p className="max-w-prose wrap-anywhere">{message}</p>
        </div>
      </div>
    </Card>
  );
}

function shownBy(
  { state, result, problem, pagesSeen }: Rehearsal,
  hostname: string,
): Look & { readonly message: string } {
  if (state === 'waiting' || state === 'running') {
    const seen =
      pagesSeen === 0
        ? 'The DNS and the certificate are looked at first.'
        : `${count(pagesSeen, 'page')} of the site that is at ${hostname} today so far.`;
    return {
      ...{ icon: LoaderCircle, colors: 'bg-subtle text-muted' },
      ...{ title: 'The move is being rehearsed', message: seen },
    };
  }
  if (result === null)
    return {
      ...{ icon: CircleAlert, colors: 'bg-negative-soft text-negative' },
      ...{ title: 'The rehearsal failed', message: problem ?? '' },
    };
  return { ...VERDICTS[result.verdict], message: result.message };
}
