import { useQuery } from '@tanstack/react-query';
import type { ApiToken } from '../../../server/src/accounts/account.ts';
import { path } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { accountTokensQuery, tokensQuery } from '../queries/tokens.ts';
import { deleteAt } from '../query-client.ts';
import { SettingsPage } from '../settings/settings-layout.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ConfirmedButton } from '../ui/form-dialog.tsx';
import { KeyRound } from '../ui/icons.tsx';
import { ListView } from '../ui/list-view.tsx';
import { Page } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';
import { NewTokenDialog, type TokensPlace } from './new-token-dialog.tsx';
import { scopesInWords } from './scopes.ts';

function TokenList({ where }: { readonly where: TokensPlace }) {
  return (
    <Card flush>
      <ListView
        query={useQuery(where.query)}
        empty={
          <Empty icon={KeyRound} title="No tokens">
            A token lets a program deploy without anyone signing in.
          </Empty>
        }
      >
        {(token) => <TokenRow key={token.id} token={token} where={where} />}
      </ListView>
    </Card>
  );
}

interface TokenRowProps {
  readonly token: ApiToken;
  readonly where: TokensPlace;
}

function TokenRow({ token, where }: TokenRowProps) {
  const { id, name, project, scopes, owner, createdAt, expiresAt, lastUsedAt } = token;
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  const run = () =>
    deleteAt(
      `${where.path}/${encodeURIComponent(id)}`,
      where.query.queryKey,
      `The token “${name}” is revoked.`,
    );
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
      <div className="min-w-0">
        <p className="flex items-center gap-2">
          <span className="truncate font-medium">{name}</span>
          {!where.isForProject && <Badge>{project ?? 'All projects'}</Badge>}
          {isExpired && <Badge tone="negative">Expired</Badge>}
        </p>
        <p className="text-[0.8125rem]">May {scopesInWords(scopes)}</p>
        <p className="text-[0.8125rem] text-muted">
          {where.isForProject && `${owner} · `}
          made <Ago at={createdAt} /> ·{' '}
          {lastUsedAt === null ? (
            'never used'
          ) : (
            <>
              last used <Ago at={lastUsedAt} />
            </>
          )}{' '}
          ·{' '}
          {expiresAt === null ? (
            'never expires'
          ) : (
            <>
              {isExpired ? 'expired' : 'expires'} <Ago at={expiresAt} />
            </>
          )}
        </p>
      </div>
      <ConfirmedButton
        title={`Revoke “${name}”?`}
        description="Programs that use it are refused from now on. This cannot be undone."
        action="Revoke"
        run={run}
        label={`Revoke ${name}`}
      />
    </li>
  );
}

export function TokensPage() {
  const { slug } = useProject();
  const where = {
    path: path`/projects/${slug}/tokens`,
    query: tokensQuery(slug),
    isForProject: true,
  };
  return (
    <SettingsPage
      title="Tokens"
      permission="token.manage"
      description="For programs that deploy this project, such as a build server. Good for this project alone."
      actions={<NewTokenDialog where={where} />}
    >
      <TokenList where={where} />
    </SettingsPage>
  );
}

const WHERE = { path: '/account/tokens', query: accountTokensQuery, isForProject: false };

export function AccountTokensPage() {
  return (
    <Page
      title="Tokens"
      documentTitle="Tokens · Account"
      description="For the command line and other programs of yours."
      actions={<NewTokenDialog where={WHERE} />}
    >
      <TokenList where={WHERE} />
    </Page>
  );
}
