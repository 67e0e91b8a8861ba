import { EmailCard } from './email-card.tsx';
import { NewWebhookDialog } from './new-webhook-dialog.tsx';
import { SettingsPage } from './settings-page.tsx';
import { SignatureCard } from './signature-card.tsx';
import { WebhookList } from './webhook-list.tsx';

export function NotificationsPage() {
  return (
    <SettingsPage
      title="Notifications"
      permission="webhook.manage"
      description="Who is told when a domain is verified, moves away or is lost, and how its certificate fares."
      actions={<NewWebhookDialog />}
    >
      <div className="grid gap-5">
        <WebhookList />
        <EmailCard />
        <SignatureCard />
      </div>
    </SettingsPage>
  );
}
