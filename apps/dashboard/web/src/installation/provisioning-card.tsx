import { useQuery } from '@tanstack/react-query';
import type { CreatedScimToken, ScimToken } from '../../../server/src/scim/token.ts';
import { path, request } from '../api.ts';
import { scimTokensQuery } from '../queries/installation.ts';
import { keys } from '../queries/keys.ts';
import { deleteAt, queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CopyField } from '../ui/copy.tsx';
import { TextField } from '../ui/field.tsx';
import { ConfirmedButton, FormDialog } from '../ui/form-dialog.tsx';
import { ListView } from '../ui/list-view.tsx';
import { Ago } from '../ui/time.tsx';

/** The tokens by which directories keep accounts and groups in step (SCIM 2.0). */
export function ProvisioningCard() {
  return (
    <Card
      title="Provisioning"
      description="A directory such as Entra ID or Okta makes accounts and groups here by SCIM 2.0, and ends them: who leaves the company is out at once."
      actions={<NewTokenDialog />}
      flush
    >
      <ListView
        query={useQuery(scimTokensQuery)}
        empty={<p className="px-4 py-4 text-muted sm:px-5">No directory is connected.</p>}
      >
        {(token) => <TokenRow key={token.id} token={token} />}
      </ListView>
    </Card>
  );
}

function TokenRow({ token }: { readonly token: ScimToken }) {
  const { id, name, createdBy, createdAt, lastUsedAt } = token;
  const run = () =>
    deleteAt(
      path`/installation/scim-tokens/${id}`,
      keys.scimTokens,
      `The token “${name}” is revoked.`,
    );
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
      <div className="min-w-0">
        <p className="truncate font-medium">{name}</p>
        <p className="break-words text-[0.8125rem] text-muted">
          made <Ago at={createdAt} /> by {createdBy} ·{' '}
          {lastUsedAt === null ? (
            'never used'
          ) : (
            <>
              last used <Ago at={lastUsedAt} />
            </>
          )}
        </p>
      </div>
      <ConfirmedButton
        title={`Revoke “${name}”?`}
        description="The directory is refused from now on. Accounts and groups stay as they are, and nobody is taken out any more when they leave."
        action="Revoke"
        run={run}
        label={`Revoke ${name}`}
      />
    </li>
  );
}

/** Makes a token, then shows it this once, with the address that belongs to it. */
function NewTokenDialog() {
  return (
    <FormDialog
      trigger={<Button size="small">Connect a directory</Button>}
      title="Connect a directory"
      description="The token may make, change, disable and remove every account but that of the installation’s owner, and say who is in which group. Give it to your directory alone."
      fields={['name']}
      action="Make the token"
      run={({ name = '' }) =>
        request<CreatedScimToken>('POST', '/installation/scim-tokens', { name: name.trim() })
      }
      onDone={() => queryClient.invalidateQueries({ queryKey: keys.scimTokens })}
      result={({ token, url }) => ({
        title: 'Copy both to your directory',
        description: 'The token is shown this once: only its fingerprint is kept.',
        content: (
          <div className="grid gap-4">
            <Labelled label="Base URL (Entra ID: Tenant URL)">
              <CopyField value={url} what="base URL" />
            </Labelled>
            <Labelled label="Token (Entra ID: Secret Token)">
              <CopyField value={token} what="token" />
            </Labelled>
          </div>
        ),
        close: 'I have copied them',
      })}
    >
      <TextField
        name="name"
        label="Name"
        required
        maxLength={100}
        autoComplete="off"
        placeholder="Entra ID"
      />
    </FormDialog>
  );
}

function Labelled({
  label,
  children,
}: {
  readonly label: string;
  readonly children: React.ReactNode;
}) {
  return (
    <div className="grid gap-1.5">
      <p className="font-medium">{label}</p>
      {children}
    </div>
  );
}
