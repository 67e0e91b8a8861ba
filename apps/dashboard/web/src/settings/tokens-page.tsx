import { useQuery } from '@tanstack/react-query';
import { path } from '../api.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.ts';
import { keys, tokensQuery } from '../queries.ts';
import { NewTokenDialog } from '../tokens/new-token-dialog.tsx';
import { TokenList, type TokensPlace } from '../tokens/token-list.tsx';
import { Alert } from '../ui/alert.tsx';
import { Page } from '../ui/page.tsx';

export function TokensPage() {
  const project = useProject();
  const isAllowed = can(project, 'token.manage');
  const where = {
    path: path`/projects/${project.slug}/tokens`,
    queryKey: keys.tokens(project.slug),
    isForProject: true,
  };
  return (
    <Page
      title="Tokens"
      documentTitle={`Tokens · ${project.name}`}
      description="For programs that deploy this project, such as a build server. Good for this project alone."
      actions={isAllowed && <NewTokenDialog where={where} />}
    >
      {isAllowed ? (
        <ProjectTokens slug={project.slug} where={where} />
      ) : (
        <Alert>{REASONS['token.manage']}</Alert>
      )}
    </Page>
  );
}

function ProjectTokens({ slug, where }: { readonly slug: string; readonly where: TokensPlace }) {
  return <TokenList query={useQuery(tokensQuery(slug))} where={where} withOwner />;
}
