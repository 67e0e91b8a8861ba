import { Check, LoaderCircle, X } from 'lucide-react';
import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import { cx } from '../ui/class-names.ts';
import { duration } from '../ui/format.ts';

type Status = 'done' | 'running' | 'failed' | 'ahead';

interface Step {
  readonly name: string;
  readonly status: Status;
  readonly note: string | undefined;
}

interface DeployStepsProps {
  readonly deploy: Deploy;
  /** Whether the project's address serves anything. */
  readonly hasLive: boolean;
}

/** queued -> building -> succeeded | failed, as far as the deploy has come. */
export function DeploySteps({ deploy, hasLive }: DeployStepsProps) {
  return (
    <ol className="grid gap-3 sm:grid-cols-3" aria-label="Steps of the deploy">
      {stepsOf(deploy, hasLive).map(({ name, status, note }) => (
        <li
          key={name}
          aria-current={status === 'running' ? 'step' : undefined}
          className={cx(
            'flex items-center gap-3 rounded-lg border px-3.5 py-2.5',
            status === 'failed' ? 'border-negative/30 bg-negative-soft' : 'border-line bg-canvas',
            status === 'ahead' && 'text-muted',
          )}
        >
          <StepMark status={status} />
          <span className="min-w-0">
            <span className="block font-medium">
              {name}
              <span className="sr-only">: {status}</span>
            </span>
            <span
              className={cx(
                'block text-[0.8125rem]',
                status === 'failed' ? 'text-negative' : 'text-muted',
              )}
            >
              {note ?? 'Not yet'}
            </span>
          </span>
        </li>
      ))}
    </ol>
  );
}

function StepMark({ status }: { readonly status: Status }) {
  const base = 'grid size-6 shrink-0 place-items-center rounded-full [&>svg]:size-3.5';
  switch (status) {
    case 'done':
      return (
        <span className={cx(base, 'bg-positive-soft text-positive')}>
          <Check aria-hidden />
        </span>
      );
    case 'running':
      return (
        <span className={cx(base, 'bg-accent-soft text-accent')}>
          <LoaderCircle aria-hidden className="animate-spin" />
        </span>
      );
    case 'failed':
      return (
        <span className={cx(base, 'bg-negative-solid text-white')}>
          <X aria-hidden />
        </span>
      );
    case 'ahead':
      return <span className={cx(base, 'border border-outline border-dashed')} />;
  }
}

function stepsOf(deploy: Deploy, hasLive: boolean): Step[] {
  const { state, createdAt, startedAt, finishedAt, live } = deploy;
  const took = (from: string | null, to: string | null) =>
    from !== null && to !== null ? duration(Date.parse(to) - Date.parse(from)) : undefined;
  const isOver = finishedAt !== null;
  const waited = took(createdAt, startedAt);
  const built = took(startedAt, finishedAt);
  return [
    {
      name: 'Queued',
      status: state === 'queued' ? 'running' : 'done',
      note: state === 'queued' ? 'Waiting for a free builder' : waited && `Waited ${waited}`,
    },
    {
      name: 'Build',
      status:
        state === 'failed'
          ? 'failed'
          : isOver
            ? 'done'
            : state === 'building'
              ? 'running'
              : 'ahead',
      note: state === 'building' ? 'Under way' : built && `Took ${built}`,
    },
    {
      name: 'Site',
      status: state === 'succeeded' ? 'done' : 'ahead',
      note:
        state === 'failed'
          ? hasLive
            ? 'What is live stays live'
            : 'Nothing is live yet'
          : state === 'succeeded'
            ? live
              ? 'Live at the project’s address'
              : 'Ready at its preview address'
            : undefined,
    },
  ];
}
