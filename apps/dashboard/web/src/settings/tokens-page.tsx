import { path } from '../api.ts';
import { useProject } from '../projects/project-context.tsx';
import { tokensQuery } from '../queries.ts';
import { NewTokenDialog } from '../tokens/new-token-dialog.tsx';
import { TokenList } from '../tokens/token-list.tsx';
import { SettingsPage } from './settings-page.tsx';

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
