import type { UseQueryResult } from '@tanstack/react-query';
import type { ApiToken } from '../../../server/src/accounts/account.ts';
import type { Page } from '../../../server/src/schema-types.ts';
import { request } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { Ago } from '../ui/ago.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Empty } from '../ui/empty.tsx';
import { KeyRound } from '../ui/icons.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { toast } from '../ui/toasts.tsx';
import { scopesInWords } from './scopes.ts';

/** Whose tokens: the account's or a project's. */
export interface TokensPlace {
  /** Below `/api`. */
  readonly path: string;
  readonly queryKey: readonly string[];
  readonly isForProject: boolean;
}

interface TokenListProps {
  readonly query: UseQueryResult<Page<ApiToken>>;
  readonly where: TokensPlace;
  /** Says whose rights each has; in one's own list it goes without saying. */
  readonly withOwner?: boolean;
}

export function TokenList({ query, where, withOwner = false }: TokenListProps) {
  return (
    <Card flush>
      <QueryView query={query}>
        {({ items }) => {
          const tokens = items.filter(({ revokedAt }) => revokedAt === null);
          return tokens.length === 0 ? (
            <Empty icon={KeyRound} title="No tokens">
              A token lets a program deploy without anyone signing in.
            </Empty>
          ) : (
            <ul className="divide-y divide-line">
              {tokens.map((token) => (
                <TokenRow key={token.id} token={token} where={where} withOwner={withOwner} />
              ))}
            </ul>
          );
        }}
      </QueryView>
    </Card>
  );
}

function TokenRow({
  token,
  where,
  withOwner,
}: {
  readonly token: ApiToken;
  readonly where: TokensPlace;
  readonly withOwner: boolean;
}) {
  const { id, name, project, scopes, owner, createdAt, expiresAt, lastUsedAt } = token;
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  const run = async () => {
    await request('DELETE', `${where.path}/${encodeURIComponent(id)}`);
    await queryClient.invalidateQueries({ queryKey: where.queryKey });
    toast(`The token “${name}” is revoked.`);
  };
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
      <div className="min-w-0">
        <p className="flex items-center gap-2">
          <span className="truncate font-medium">{name}</span>
          {!withOwner && <Badge>{project ?? 'All projects'}</Badge>}
          {isExpired && <Badge tone="negative">Expired</Badge>}
        </p>
        <p className="text-[0.8125rem]">May {scopesInWords(scopes)}</p>
        <p className="text-[0.8125rem] text-muted">
          {withOwner && `${owner} · `}
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
      <Confirm
        danger
        title={`Revoke “${name}”?`}
        description="Programs that use it are refused from now on. This cannot be undone."
        action="Revoke"
        run={run}
        trigger={
          <Button variant="ghost" size="small" aria-label={`Revoke ${name}`}>
            Revoke
          </Button>
        }
      />
    </li>
  );
}
