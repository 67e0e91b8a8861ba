import { useMutation, useQuery } from '@tanstack/react-query';
import type { CreatedWebhook, Webhook } from '../../../server/src/notices/webhook.ts';
import { messageOf, path, request } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { installationQuery, keys, webhooksQuery } from '../queries.ts';
import { deleteAt, queryClient } from '../query-client.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { CopyField } from '../ui/copy.tsx';
import { Empty } from '../ui/empty.tsx';
import { ExternalLink } from '../ui/external-link.tsx';
import { TextField } from '../ui/field.tsx';
import { ConfirmedButton, FormDialog } from '../ui/form-dialog.tsx';
import { Plus, Webhook as WebhookIcon } from '../ui/icons.tsx';
import { ListView } from '../ui/list-view.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { WithCode } from '../ui/with-code.tsx';
import { SettingsPage } from './settings-layout.tsx';

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

/** Whether the owners get e-mails, too. */
function EmailCard() {
  const query = useQuery(installationQuery);
  return (
    <Card title="E-mail">
      <QueryView query={query}>
        {({ mail }) => (
          <p className="max-w-prose text-muted">
            {mail ? (
              'Every owner of the project is told by e-mail, at the address of their account.'
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

function WebhookList() {
  const query = useQuery(webhooksQuery(useProject().slug));
  return (
    <Card title="Webhooks" flush>
      <ListView
        query={query}
        empty={
          <Empty icon={WebhookIcon} title="No webhooks">
            A webhook tells a program of yours, with a signed request, as soon as something happens.
          </Empty>
        }
      >
        {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} />}
      </ListView>
    </Card>
  );
}

function WebhookRow({ webhook }: { readonly webhook: Webhook }) {
  const { slug } = useProject();
  const { id, url, createdBy, disabledAt } = webhook;
  const { host } = new URL(url);
  const refresh = () => queryClient.invalidateQueries({ queryKey: keys.webhooks(slug) });
  const test = useMutation({
    mutationFn: () => request<Webhook>('POST', path`/projects/${slug}/webhooks/${id}/test`),
    onSuccess: ({ lastDelivery }) =>
      lastDelivery?.error == null
        ? toast(`${host} took the test.`)
        : toast(`${host} did not take the test. ${lastDelivery.error}`, 'negative'),
    onError: (error) => toast(messageOf(error), 'negative'),
    onSettled: refresh,
  });
  const remove = () =>
    deleteAt(
      path`/projects/${slug}/webhooks/${id}`,
      keys.webhooks(slug),
      `The webhook to ${host} is removed.`,
    );
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex items-start gap-2">
          <span className="min-w-0 break-all font-medium">{url}</span>
          {disabledAt !== null && <Badge tone="negative">Off</Badge>}
        </p>
        <p className="break-words text-[0.8125rem] text-muted">
          by {createdBy} · <LastDelivery webhook={webhook} />
        </p>
        {disabledAt !== null && (
          <p className="text-[0.8125rem] text-muted">
            Switched off <Ago at={disabledAt} />, and told nothing since. A test that it takes
            switches it on again.
          </p>
        )}
      </div>
      <div className="flex gap-1">
        <Button
          size="small"
          pending={test.isPending}
          aria-label={`Send test to ${host}`}
          onClick={() => test.mutate()}
        >
          Send test
        </Button>
        <ConfirmedButton
          title="Remove this webhook?"
          description={`${host} is told nothing more, not even what it has not taken yet.`}
          action="Remove"
          run={remove}
          label={`Remove the webhook to ${host}`}
        />
      </div>
    </li>
  );
}

function LastDelivery({ webhook: { lastDelivery } }: { readonly webhook: Webhook }) {
  if (lastDelivery === null) return 'told nothing yet';
  const { at, error } = lastDelivery;
  return error === null ? (
    <>
      last told <Ago at={at} />
    </>
  ) : (
    <>
      <span className="text-negative">failed</span> <Ago at={at} />: {error}
    </>
  );
}

/** Adds a webhook, then shows its secret this once. */
function NewWebhookDialog() {
  const { slug } = useProject();
  return (
    <FormDialog
      trigger={
        <Button variant="primary">
          <Plus />
          New webhook
        </Button>
      }
      title="New webhook"
      description="It is sent every notification of this project, signed as Standard Webhooks has it."
      fields={['url']}
      conflictField="url"
      action="Add the webhook"
      run={({ url = '' }) =>
        request<CreatedWebhook>('POST', path`/projects/${slug}/webhooks`, { url: url.trim() })
      }
      onDone={() => queryClient.invalidateQueries({ queryKey: keys.webhooks(slug) })}
      result={({ secret }) => ({
        title: 'Copy the secret now',
        description:
          'It is shown this once. Whoever receives the webhook checks its signature with it.',
        content: <CopyField value={secret} what="secret" />,
        close: 'I have copied it',
      })}
    >
      <TextField
        name="url"
        label="URL"
        type="url"
        required
        maxLength={2048}
        autoComplete="off"
        placeholder="https://example.com/hooks"
        hint="It must respond to a POST with 2xx within 15 seconds."
      />
    </FormDialog>
  );
}
