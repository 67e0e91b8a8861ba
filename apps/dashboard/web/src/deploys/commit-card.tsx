import type { DeploySummary } from '../../../server/src/deploys/deploy.ts';
import { Card } from '../ui/card.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { ExternalLink } from '../ui/external-link.tsx';
import { GitBranch } from '../ui/icons.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';

type Commit = NonNullable<DeploySummary['commit']>;

/** The commit that a deploy was made of; nothing where nobody said one. */
export function CommitCard({ deploy: { commit } }: { readonly deploy: DeploySummary }) {
  if (commit === null) return null;
  const { hash, message, author, branch, repositoryUrl } = commit;
  return (
    <Card title="Commit">
      {message !== null && <p className="wrap-anywhere font-medium">{message}</p>}
      <ul className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1 text-[0.8125rem] text-muted">
        <li className="flex items-center gap-1">
          <CommitHash commit={commit} />
          <CopyButton value={hash} what="hash of the commit" />
        </li>
        {author !== null && (
          <li className="min-w-0 truncate">
            <span className="sr-only">Author: </span>
            {author}
          </li>
        )}
        {branch !== null && (
          <li className="flex min-w-0 items-center gap-1.5">
            <GitBranch className="size-3.5 shrink-0" />
            <span className="sr-only">Branch: </span>
            <span className="truncate" title={branch}>
              {branch}
            </span>
          </li>
        )}
        {repositoryUrl !== null && (
          <li className="min-w-0 truncate">
            <ExternalLink href={repositoryUrl} className={TEXT_LINK}>
              {nameOf(repositoryUrl)}
            </ExternalLink>
          </li>
        )}
      </ul>
    </Card>
  );
}

/** As much as hosts of repositories show of a hash. */
export const shortHash = (hash: string) => hash.slice(0, 7);

/** The short hash of a commit, which leads to its page where that is known. */
export function CommitHash({ commit: { hash, url } }: { readonly commit: Commit }) {
  const shown = (
    <>
      <span className="sr-only">Commit </span>
      <code className="font-mono">{shortHash(hash)}</code>
    </>
  );
  if (url === null) return <span title={hash}>{shown}</span>;
  return (
    <ExternalLink href={url} className={TEXT_LINK}>
      {shown}
    </ExternalLink>
  );
}

/** `github.com/ada/pets` */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}
