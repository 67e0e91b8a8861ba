import type { Repository, RepositoryInput } from '../../../server/src/repositories/repository.ts';
import { path, request } from '../api.ts';
import { keys } from '../queries/keys.ts';
import { queryClient, showChanged } from '../query-client.ts';

/** Shows a repository as it is by now, and fetches anew what may have changed with it. */
function show(slug: string, repository: Repository): Repository {
  showChanged(keys.repository(slug), repository);
  void queryClient.invalidateQueries({ queryKey: keys.deploys(slug) });
  return repository;
}

export async function putRepository(slug: string, input: RepositoryInput): Promise<Repository> {
  return show(slug, await request<Repository>('PUT', path`/projects/${slug}/repository`, input));
}

/** Has the host asked now. `branch`: whose newest commit is deployed again, too. */
export async function checkRepository(slug: string, branch?: string): Promise<Repository> {
  const query = branch === undefined ? '' : `?branch=${encodeURIComponent(branch)}`;
  const where = path`/projects/${slug}/repository/check` + query;
  return show(slug, await request<Repository>('POST', where));
}

/** Forgets the keys of an ssh host, and takes those that it shows now. */
export async function acceptHostKeys(slug: string): Promise<Repository> {
  return show(
    slug,
    await request<Repository>('DELETE', path`/projects/${slug}/repository/host-keys`),
  );
}

/** The settings of a repository, to be sent with changes. The token stays the present one. */
export function inputOf(repository: Repository): RepositoryInput {
  const { url, branch, folder, previews, statuses, provider, access, username } = repository;
  return { url, branch, folder, previews, statuses, provider, access, username };
}
