import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import type { FirstStep, FirstSteps } from '../../../server/src/home/first-steps.ts';
import { messageOf, request } from '../api.ts';
import { firstStepsQuery } from '../queries/home.ts';
import { keys } from '../queries/keys.ts';
import { queryClient, showChanged } from '../query-client.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/class-names.ts';
import { Circle, CircleCheck } from '../ui/icons.tsx';
import { toast } from '../ui/toasts.tsx';

/** What each step is, and where it is done. */
const STEPS = {
  project: {
    title: 'Create a project',
    text: 'A name and an address for one documentation site.',
    action: 'New project',
    to: '/new',
  },
  deploy: {
    title: 'Deploy',
    text: 'An OpenAPI document or a folder of guides: the site is online in seconds.',
    action: 'Deploy',
    to: '/projects/$slug',
  },
  domain: {
    title: 'Add a domain',
    text: 'Readers find the site at a name of your own, over HTTPS.',
    action: 'Add domain',
    to: '/projects/$slug/settings/domains',
  },
  invite: {
    title: 'Invite someone',
    text: 'Editors deploy, viewers look.',
    action: 'Invite',
    to: '/projects/$slug/settings/members',
  },
} as const satisfies Record<FirstStep, object>;

/** What a new account does first. It ticks itself off, and goes away when all is done or somebody says so. */
export function FirstStepsCard() {
  const { data } = useQuery(firstStepsQuery);
  const hide = useMutation({
    mutationFn: () => request('DELETE', '/account/first-steps'),
    onMutate: () => data && showChanged<FirstSteps>(keys.firstSteps, { ...data, shown: false }),
    onError: (error) => toast(messageOf(error), 'negative'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.firstSteps }),
  });
  if (!data?.shown) return null;
  const done = data.steps.filter((step) => step.done).length;
  const next = data.steps.find((step) => !step.done)?.name;
  return (
    <Card
      title="First steps"
      description={`${done} of ${data.steps.length} done`}
      actions={
        <Button variant="ghost" size="small" onClick={() => hide.mutate()}>
          Hide
        </Button>
      }
      flush
    >
      <ol className="divide-y divide-line">
        {data.steps.map((step) => (
          <Step
            key={step.name}
            name={step.name}
            isDone={step.done}
            isNext={step.name === next}
            project={data.project}
          />
        ))}
      </ol>
    </Card>
  );
}

interface StepProps {
  readonly name: FirstStep;
  readonly isDone: boolean;
  readonly isNext: boolean;
  readonly project: string | null;
}

function Step({ name, isDone, isNext, project }: StepProps) {
  const id = useId();
  const { title, text, action, to } = STEPS[name];
  const Icon = isDone ? CircleCheck : Circle;
  return (
    <li className="flex items-center gap-3 px-4 py-3 sm:px-5">
      <Icon className={cx('size-5 shrink-0', isDone ? 'text-positive' : 'text-outline')} />
      <div className="min-w-0 flex-1">
        <p id={id} className={cx('font-medium', isDone && 'text-muted line-through')}>
          {title}
          {isDone && <span className="sr-only"> (done)</span>}
        </p>
        {!isDone && <p className="text-[0.8125rem] text-muted">{text}</p>}
      </div>
      {/* Without a project there is nothing to deploy to, and the empty list below has the button for one. */}
      {!isDone && project !== null && (
        <Link
          to={to}
          params={{ slug: project }}
          aria-describedby={id}
          className={buttonClass(isNext ? 'primary' : 'secondary', 'small')}
        >
          {action}
        </Link>
      )}
    </li>
  );
}
