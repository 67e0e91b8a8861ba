import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Identity } from '../../../server/src/oidc/sign-in.ts';
import { messageOf, path } from '../api.ts';
import { identitiesQuery } from '../queries/account.ts';
import { installationQuery } from '../queries/installation.ts';
import { keys } from '../queries/keys.ts';
import { deleteAt } from '../query-client.ts';
import { goToLink } from '../session/provider.ts';
import { ProviderProblem } from '../session/provider-problem.tsx';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ConfirmedButton } from '../ui/form-dialog.tsx';
import { Plus } from '../ui/icons.tsx';
import { ListView } from '../ui/list-view.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';

/** The providers with which someone signs in. Nothing where the installation has none. */
export function IdentitiesCard() {
  const { problem, provider, linked } = useSearch({ strict: false });
  const { data } = useQuery(installationQuery);
  const query = useQuery(identitiesQuery);
  const mutation = useMutation({ mutationFn: goToLink });
  const name = data?.providers.find(({ id }) => id === linked)?.name;
  useEffect(() => {
    if (name !== undefined) toast(`Your account is linked with ${name}.`);
  }, [name]);

  if (!data || (data.providers.length === 0 && !query.data?.length)) return null;
  const isLinked = (id: string) => query.data?.some((identity) => identity.provider === id);
  const further = data.providers.filter(({ id }) => query.data && !isLinked(id));
  const hasMessage = problem !== undefined || mutation.error !== null;
  return (
    <Card
      title="Sign-in with a provider"
      description="Accounts elsewhere with which you sign in here."
      flush
      footer={
        further.length > 0 && (
          <div className="flex flex-wrap gap-2">
            {further.map(({ id, name }) => (
              <Button
                key={id}
                size="small"
                pending={(mutation.isPending || mutation.isSuccess) && mutation.variables === id}
                onClick={() => mutation.mutate(id)}
              >
                <Plus />
                Link with {name}
              </Button>
            ))}
          </div>
        )
      }
    >
      {hasMessage && (
        <div className="p-4 sm:px-5">
          <ProviderProblem problem={problem} provider={provider} />
          {mutation.error && <Alert tone="negative">{messageOf(mutation.error)}</Alert>}
        </div>
      )}
      <ListView
        query={query}
        empty={<p className="px-4 py-4 text-muted sm:px-5">None is linked yet.</p>}
      >
        {(identity) => <IdentityRow key={identity.id} identity={identity} />}
      </ListView>
    </Card>
  );
}

function IdentityRow({ identity }: { readonly identity: Identity }) {
  const { id, providerName, email, createdAt, lastUsedAt } = identity;
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
      <div className="min-w-0">
        <p className="truncate font-medium">{providerName}</p>
        <p className="truncate text-[0.8125rem] text-muted">
          {email !== null && `${email} · `}linked <Ago at={createdAt} />
          {lastUsedAt !== null && (
            <>
              {' '}
              · used <Ago at={lastUsedAt} />
            </>
          )}
        </p>
      </div>
      <ConfirmedButton
        title={`Unlink ${providerName}?`}
        description="You cannot sign in with it any more, and the sessions that began with it end."
        action="Unlink"
        run={() =>
          deleteAt(path`/account/identities/${id}`, keys.identities, `${providerName} is unlinked.`)
        }
        label={`Unlink ${providerName}`}
        text="Unlink"
      />
    </li>
  );
}
