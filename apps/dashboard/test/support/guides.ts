import type { Deploy } from '../../server/src/deploys/deploy.ts';
import { tarGzOf } from './archives.ts';
import { finished } from './project.ts';
import { json, type Visitor } from './service.ts';

/** Uploads files as an archive and waits for the end of its build. `query`: `?version=v2`. */
export async function deployFiles(
  author: Visitor,
  slug: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  query = '',
): Promise<Deploy> {
  const archive = await tarGzOf(
    Object.entries(files).map(([name, content]) => ({ name, content })),
  );
  const path = `/api/projects/${slug}/deploys${query}`;
  const { id } = await json<Deploy>(await author.call('POST', path, archive), 202);
  return finished(author, slug, id);
}
