import { useQuery } from '@tanstack/react-query';
import { can, REASONS } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.ts';
import { webhooksQuery } from '../queries.ts';
import { Alert } from '../ui/alert.tsx';
import { Page } from '../ui/page.tsx';
import { EmailCard } from './email-card.tsx';
import { NewWebhookDialog } from './new-webhook-dialog.tsx';
import { SignatureCard } from './signature-card.tsx';
import { WebhookList } from './webhook-list.tsx';

export function NotificationsPage() {
  const project = useProject();
  const isAllowed = can(project, 'webhook.manage');
  return (
    <Page
      title="Notifications"
      documentTitle={`Notifications · ${project.name}`}
      description="Who is told when a domain is verified, moves away or is lost, and how its certificate fares."
      actions={isAllowed && <NewWebhookDialog slug={project.slug} />}
    >
      {isAllowed ? (
        <Notifications slug={project.slug} />
      ) : (
        <Alert>{REASONS['webhook.manage']}</Alert>
      )}
    </Page>
  );
}

function Notifications({ slug }: { readonly slug: string }) {
  const query = useQuery(webhooksQuery(slug));
  return (
    <div className="grid gap-5">
      <WebhookList slug={slug} query={query} />
      <EmailCard />
      <SignatureCard />
    </div>
  );
}
