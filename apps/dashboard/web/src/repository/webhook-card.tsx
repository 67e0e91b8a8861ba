import type {
  Repository,
  RepositoryWebhookSecret,
} from '../../../server/src/repositories/repository.ts';
import { path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CopyField } from '../ui/copy.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Ago } from '../ui/time.tsx';
import { HostSteps } from './host-steps.tsx';
import { hostName, stepsAt } from './hosts.ts';
import { Problem } from './state-card.tsx';

interface RepositoryProps {
  readonly repository: Repository;
}

/** The webhook by which the host tells of pushes: without it the host is asked every few minutes. */
export function WebhookCard({ repository }: RepositoryProps) {
  const { webhook } = repository;
  const { url, hasSecret, lastDeliveredAt, lastProblem } = webhook;
  return (
    <Card
      title="Webhook"
      description={
        hasSecret
          ? 'The host tells of each push, so that it is deployed at once.'
          : 'Without a webhook the host is asked every few minutes. With one a push is deployed at once.'
      }
      actions={<SecretDialog repository={repository} />}
    >
      {(hasSecret || lastProblem) && (
        <div className="grid gap-4">
          {lastProblem && <Problem state={lastProblem} />}
          {hasSecret && (
            <>
              {lastDeliveredAt !== null && (
                <p>
                  The last one came <Ago at={lastDeliveredAt} />.
                </p>
              )}
              {lastDeliveredAt === null && !lastProblem && (
                <p className="text-muted">Nothing has arrived yet.</p>
              )}
              <CopyField value={url} what="address of the webhook" />
              <HostSteps steps={stepsAt(repository, 'webhook')} at={hostName(repository)} />
            </>
          )}
        </div>
      )}
    </Card>
  );
}

/** Makes a secret, and shows it this once, with what to do with it. */
function SecretDialog({ repository }: RepositoryProps) {
  const { slug } = useProject();
  const { hasSecret } = repository.webhook;
  const at = hostName(repository);
  return (
    <FormDialog
      trigger={
        <Button size="small" variant={hasSecret ? 'secondary' : 'primary'}>
          {hasSecret ? 'New secret' : 'Set up the webhook'}
        </Button>
      }
      title={hasSecret ? 'Make a new secret?' : 'Set up the webhook'}
      description={
        hasSecret
          ? 'Webhooks that are signed with the present one are refused from then on, until you enter the new one at the host.'
          : `You get an address and a secret, which you enter at ${at}.`
      }
      action={hasSecret ? 'Make a new secret' : 'Make a secret'}
      run={() =>
        request<RepositoryWebhookSecret>('POST', path`/projects/${slug}/repository/webhook-secret`)
      }
      onDone={() => queryClient.invalidateQueries({ queryKey: keys.repository(slug) })}
      result={({ url, secret }) => ({
        title: `Enter this at ${at}`,
        description: 'The secret is shown this once.',
        content: (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <div className="grid gap-1.5">
              <p className="font-medium">Address</p>
              <CopyField value={url} what="address of the webhook" />
            </div>
            <div className="grid gap-1.5">
              <p className="font-medium">Secret</p>
              <CopyField value={secret} what="secret" />
            </div>
            <HostSteps steps={stepsAt(repository, 'webhook')} at={at} />
          </div>
        ),
        close: 'I have entered both',
      })}
    />
  );
}
