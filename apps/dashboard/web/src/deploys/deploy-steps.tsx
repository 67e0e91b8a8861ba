import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import { duration } from '../ui/format.ts';
import type { Step } from '../ui/step.ts';
import { Steps } from '../ui/steps.tsx';

interface DeployStepsProps {
  readonly deploy: Deploy;
  /** Whether the project's address serves anything. */
  readonly hasLive: boolean;
}

/**
 * queued -> building -> succeeded
 *
 * failed, up to the deploy's current state.
 */
export function DeploySteps({ deploy, hasLive }: DeployStepsProps) {
  return <Steps label="Steps of the deploy" columns={3} steps={stepsOf(deploy, hasLive)} />;
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
