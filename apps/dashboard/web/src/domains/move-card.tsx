import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Domain } from '../../../server/src/domains/domain.ts';
import { messageOf } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { installationQuery } from '../queries/installation.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Confirm } from '../ui/form-dialog.tsx';
import type { StepStatus } from '../ui/step.ts';
import { Steps } from '../ui/steps.tsx';
import { toast } from '../ui/toasts.tsx';
import { WithCode } from '../ui/with-code.tsx';
import { changeDomain } from './domain-cache.ts';
import { MoveLinks } from './move/move-links.tsx';
import { awaitsMove, isUnderWay, type Stage, stageOf } from './preparation.ts';
import type { ShownDomain } from './shown-domain.ts';

interface MoveCardProps {
  readonly domain: ShownDomain;
  readonly actions?: ReactNode;
  /** Ways to pages of their own. */
  readonly links?: ReactNode;
}

/** What is done, and what comes next, of the move of a live site. */
export function MoveCard({ domain, actions, links }: MoveCardProps) {
  const stage = stageOf(domain);
  if (stage === undefined) return null;
  const { title, words } = WORDS[stage](domain.unicode);
  return (
    <Card title={title} description={<WithCode>{words}</WithCode>} actions={actions}>
      <div className="grid gap-4">
        <Steps label="Steps of the move" columns={3} steps={stepsOf(stage, domain)} />
        {links}
      </div>
    </Card>
  );
}

const WORDS: Record<Stage, (name: string) => { title: string; words: string }> = {
  proof: (name) => ({
    title: 'Prepare the move',
    words: `Create the \`_acme-challenge\` record below. Leave the record of ${name} itself as it is: the old host goes on serving.`,
  }),
  certificate: (name) => ({
    title: 'Prepare the move',
    words: `${name} is proven, and its certificate is on its way. Leave its own record as it is until the certificate is there.`,
  }),
  ready: (name) => ({
    title: 'Ready to move',
    words: `The certificate is here. Now change the record of ${name}: the first visitor who comes is served over HTTPS. Keep the old host on until the TTL of the old record is over.`,
  }),
  moved: (name) => ({
    title: 'Moved',
    words: `${name} leads here. Keep both records: the \`_acme-challenge\` record renews the certificate.`,
  }),
};

const STAGES: readonly Stage[] = ['proof', 'certificate', 'ready'];

function stepsOf(stage: Stage, { issuance, verdict }: ShownDomain) {
  const reached = stage === 'moved' ? STAGES.length : STAGES.indexOf(stage);
  const notes: readonly Record<'done' | 'now', string>[] = [
    {
      done: 'The record is right',
      now: verdict === null ? 'Not looked up yet' : 'Waits for the record',
    },
    { done: 'It is here', now: issuance?.problem ? 'A try has failed, see below' : 'Under way' },
    { done: 'The name leads here', now: 'Change its record' },
  ];
  return ['Proven', 'Certificate', 'Moved'].map((name, index) => {
    const status: StepStatus =
      index < reached ? 'done' : index === reached ? statusOf(index) : 'ahead';
    const note =
      status === 'ahead' ? undefined : notes[index]?.[status === 'done' ? 'done' : 'now'];
    return { name, status, note };
  });

  /** Only the certificate comes by itself. */
  function statusOf(index: number): StepStatus {
    return index === 1 && !issuance?.problem ? 'running' : 'waiting';
  }
}

interface PreparationCardProps {
  readonly domain: Domain;
  readonly canChange: boolean;
}

/** The move of a prepared domain, with what ends the preparation. Once it has moved, that is how it is renewed. */
export function PreparationCard({ domain, canChange }: PreparationCardProps) {
  const { slug } = useProject();
  const { hostname, unicode } = domain;
  const stop = async () => {
    await changeDomain(slug, hostname, { prepare: false });
    toast(`${unicode} is no longer prepared.`);
  };
  const actions = canChange && (
    <Confirm
      title="Stop preparing it?"
      description={
        awaitsMove(domain)
          ? `${unicode} is unverified again until its own record leads here. Its certificate is kept.`
          : 'Its certificate is then renewed over ports 80 and 443, while the name leads here. The _acme-challenge record can be deleted.'
      }
      action="Stop preparing"
      run={stop}
      trigger={<Button size="small">Stop preparing</Button>}
    />
  );
  if (isUnderWay(domain))
    return (
      <MoveCard
        domain={domain}
        actions={actions}
        links={awaitsMove(domain) && <MoveLinks domain={domain} />}
      />
    );
  return (
    <Card
      title={RENEWAL}
      description={
        <WithCode>
          Keep both records: the `_acme-challenge` record renews the certificate, also while the
          name leads elsewhere for a while.
        </WithCode>
      }
      actions={actions}
    />
  );
}

const RENEWAL = 'Renewal by the DNS';

/** The choice to prepare a domain. */
export function PrepareCard({ domain }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const { hostname, state } = domain;
  const { data: installation } = useQuery(installationQuery);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => changeDomain(slug, hostname, { prepare: true }),
    onSuccess: () => toast('One more record is needed: the page shows it.'),
  });
  const isNew = state === 'unverified';
  const isPossible = installation?.prepare !== false;
  const offer = isNew
    ? 'Prepare it first: one more record brings the certificate while the old host still serves. Then the name moves without a second of outage.'
    : 'One more record renews the certificate whatever happens to ports 80 and 443, also while the name leads elsewhere for a while.';
  return (
    <Card
      title={isNew ? 'Is the site live elsewhere now?' : RENEWAL}
      description={
        <WithCode>
          {isPossible
            ? offer
            : `${offer} Not available: this dashboard has no DNS zone of its own. Whoever runs it sets \`DNS_ZONE\`.`}
        </WithCode>
      }
      actions={
        isPossible && (
          <Button size="small" disabled={isPending} onClick={() => mutate()}>
            {isNew ? 'Prepare first' : 'Add the record'}
          </Button>
        )
      }
    >
      {error && <Alert tone="negative">{messageOf(error)}</Alert>}
    </Card>
  );
}
