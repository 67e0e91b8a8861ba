import { useQuery } from '@tanstack/react-query';
import { installationQuery } from '../queries/installation.ts';
import { Card } from '../ui/card.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { ExternalLink } from '../ui/external-link.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { WithCode } from '../ui/with-code.tsx';
import { NewWebhookDialog } from '../webhooks/new-webhook-dialog.tsx';
import { WebhookList } from '../webhooks/webhook-list.tsx';
import { SettingsPage } from './settings-layout.tsx';

export function NotificationsPage() {
  return (
    <SettingsPage
      title="Notifications"
      permission="webhook.manage"
      description="Who is told of deploys, domains and certificates."
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

/** Whether the owners get e-mails, too. */
function EmailCard() {
  const query = useQuery(installationQuery);
  return (
    <Card title="E-mail">
      <QueryView query={query}>
        {({ mail }) => (
          <p className="max-w-prose text-muted">
            {mail ? (
              'Every owner of the project is told what happens to its domains, at the address of their account.'
            ) : (
              <WithCode>
                No e-mail is sent: this installation has no mail server. Whoever runs it sets
                `SMTP_URL` and `SMTP_FROM`.
              </WithCode>
            )}
          </p>
        )}
      </QueryView>
    </Card>
  );
}

const EXAMPLE = `import { createHmac, timingSafeEqual } from 'node:crypto';

/** \`body\`: the request's body as it came, not parsed. */
function isGenuine(headers, body, secret) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (Math.abs(Date.now() / 1000 - timestamp) > 300) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key)
    .update(\`\${id}.\${timestamp}.\${body}\`)
    .digest();
  return headers['webhook-signature'].split(' ').some((entry) => {
    const [version, signature = ''] = entry.split(',');
    const given = Buffer.from(signature, 'base64');
    return version === 'v1' && given.length === expected.length &&
      timingSafeEqual(given, expected);
  });
}`;

/** How a receiver verifies that a webhook comes from here. */
function SignatureCard() {
  return (
    <Card
      title="Check the signature"
      description="Anyone can send to your URL. What comes from here is signed with the webhook's secret; a message that is sent again has the same webhook-id."
    >
      <CodeBlock code={EXAMPLE} what="example" />
      <p className="mt-3 text-[0.8125rem] text-muted">
        There are libraries for most languages:{' '}
        <ExternalLink href="https://www.standardwebhooks.com/" className={TEXT_LINK}>
          Standard Webhooks
        </ExternalLink>
        .
      </p>
    </Card>
  );
}
