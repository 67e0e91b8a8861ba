import { accountTokensQuery } from '../queries.ts';
import { NewTokenDialog } from '../tokens/new-token-dialog.tsx';
import { TokenList } from '../tokens/token-list.tsx';
import { Page } from '../ui/page.tsx';

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
