import { useMutation, useQuery } from '@tanstack/react-query';
import type { SignInProvider } from '../../../server/src/oidc/sign-in.ts';
import { messageOf, path, request } from '../api.ts';
import { signInProvidersQuery } from '../queries/installation.ts';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Facts } from '../ui/facts.tsx';
import { RefreshCw } from '../ui/icons.tsx';
import { Page } from '../ui/page.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Ago } from '../ui/time.tsx';
import { TokenHolders } from './token-holders.tsx';

/** The providers with which people sign in, and what to enter there. */
export function InstallationSignInPage() {
  const query = useQuery(signInProvidersQuery);
  return (
    <Page
      title="Sign-in"
      documentTitle="Sign-in · Installation"
      description="With which providers people sign in. They are set where the dashboard runs, by its environment."
    >
      <QueryView query={query}>
        {(providers) => (
          <div className="grid gap-5">
            {providers.length === 0 && <NoProvider />}
            {providers.map((provider) => (
              <ProviderCard key={provider.id} provider={provider} />
            ))}
          </div>
        )}
      </QueryView>
    </Page>
  );
}

const EXAMPLE = `OIDC_PROVIDERS=acme
OIDC_ACME_NAME=Acme
OIDC_ACME_ISSUER=https://login.acme.example
OIDC_ACME_CLIENT_ID=dashboard
OIDC_ACME_CLIENT_SECRET=…
OIDC_ACME_EMAIL_DOMAINS=acme.example`;

function NoProvider() {
  const redirect = `${window.location.origin}/api/oidc/acme/callback`;
  return (
    <Card
      title="People sign in with passwords"
      description="To let them sign in as they do elsewhere in your company, register the dashboard at your OpenID provider (Keycloak, Entra ID, Google, Okta and others), and set these variables."
    >
      <div className="grid grid-cols-1 gap-4">
        <CodeBlock code={EXAMPLE} what="variables" />
        <Copyable
          term="Redirect URL for a provider called acme"
          value={redirect}
          what="redirect URL"
        />
      </div>
    </Card>
  );
}

const STATES = {
  ready: { tone: 'positive', text: 'Ready' },
  failing: { tone: 'negative', text: 'Failing' },
  unknown: { tone: 'neutral', text: 'Not asked yet' },
} as const;

const REQUIRED = {
  no: 'Of nobody: passwords go on working',
  domains: 'Of everybody with an address in its domains',
  everyone: 'Of everybody: passwords are switched off',
} as const;

function ProviderCard({ provider }: { readonly provider: SignInProvider }) {
  const { id, name, state, failure, failedAt, discoveredAt, people } = provider;
  const mutation = useMutation({
    mutationFn: () => request<SignInProvider>('POST', path`/installation/sign-in/${id}/check`),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.signInProviders }),
  });
  const { tone, text } = STATES[state];
  return (
    <Card
      title={name}
      actions={
        <div className="flex items-center gap-3">
          <Badge tone={tone}>{text}</Badge>
          <Button size="small" pending={mutation.isPending} onClick={() => mutation.mutate()}>
            {!mutation.isPending && <RefreshCw />}
            Check now
          </Button>
        </div>
      }
    >
      <div className="grid grid-cols-1 gap-5">
        {mutation.error && <Alert tone="negative">{messageOf(mutation.error)}</Alert>}
        {failure !== null && (
          <Alert tone="negative">
            <p>{failure}</p>
            {failedAt !== null && (
              <p className="mt-1 text-[0.8125rem]">
                <Ago at={failedAt} />
              </p>
            )}
          </Alert>
        )}
        <Facts
          rows={[
            { term: 'Issuer', value: provider.issuer },
            { term: 'Client id', value: provider.clientId },
            { term: 'Asked for', value: provider.scopes },
            { term: 'Groups', value: provider.groupsClaim ?? 'Not read' },
            {
              term: 'Domains',
              value:
                provider.emailDomains.join(', ') || 'None: people need an account or an invitation',
            },
            { term: 'Required', value: REQUIRED[provider.required] },
            { term: 'Linked', value: people === 1 ? '1 person' : `${people} people` },
            {
              term: 'Discovered',
              value: discoveredAt === null ? 'Never' : <Ago at={discoveredAt} />,
            },
          ]}
        />
        {provider.required !== 'no' && <TokenHolders provider={provider} />}
        <div className="grid grid-cols-1 gap-3 border-line border-t pt-4">
          <p className="font-medium">To enter at {name}</p>
          <Copyable term="Redirect URL" value={provider.redirectUrl} what="redirect URL" />
          <Copyable
            term="Back-channel log-out URL"
            value={provider.backchannelLogoutUrl}
            what="back-channel log-out URL"
          />
          <Copyable
            term="Where people come back after signing out there"
            value={provider.signedOutUrl}
            what="URL after signing out"
          />
          <Copyable
            term="Where its own list of apps leads to"
            value={provider.signInUrl}
            what="sign-in URL"
          />
        </div>
      </div>
    </Card>
  );
}

interface CopyableProps {
  readonly term: string;
  readonly value: string;
  readonly what: string;
}

function Copyable({ term, value, what }: CopyableProps) {
  return (
    <div className="min-w-0">
      <p className="text-[0.8125rem] text-muted">{term}</p>
      <div className="flex items-center gap-1">
        <code className="min-w-0 break-all font-mono text-[0.8125rem]">{value}</code>
        <CopyButton value={value} what={what} />
      </div>
    </div>
  );
}
