import { useQuery } from '@tanstack/react-query';
import type { ApiToken } from '../../../server/src/accounts/account.ts';
import type { accountTokensQuery } from '../queries.ts';
import { deleteAt } from '../query-client.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ConfirmedButton } from '../ui/form-dialog.tsx';
import { KeyRound } from '../ui/icons.tsx';
import { ListView } from '../ui/list-view.tsx';
import { Ago } from '../ui/time.tsx';
import { scopesInWords } from './scopes.ts';

/** Whose tokens: the account's or a project's. */
export interface TokensPlace {
  /** Below `/api`. */
  readonly path: string;
  readonly query: typeof accountTokensQuery;
  /** A list of one's own says of each token for which project it is; a project's, whose rights it has. */
  readonly isForProject: boolean;
}

export function TokenList({ where }: { readonly where: TokensPlace }) {
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
