import type { SourceRepository } from '@petstore/site/repository/source-links.ts';
import type { EarlierSite } from '@petstore/site/site/page-dates.ts';
import type { Publication } from '@petstore/site/site/publication.ts';
import type { Deps } from '../deps.ts';
import { findLiveManifest, readBlob } from '../store/artifacts.ts';
import type { DeployRow } from '../store/deploys.ts';
import { findProjectById } from '../store/projects.ts';
import type { Db } from '../store/schema.ts';
import type { Manifest } from './artifact.ts';
import { commitOf } from './commit/deploy-commit.ts';

/**
 * Where and when a deploy's site is published. The origin is the one that the platform gives the project, and not that
 * of a domain of its own: a domain may be removed without a new deploy, while the platform's address leads to it as
 * long as there is one.
 */
export async function publicationOf(
  { db, addresses }: Pick<Deps, 'db' | 'addresses'>,
  deploy: DeployRow,
): Promise<Publication> {
  const project = await findProjectById(db, deploy.project_id);
  const now = instant(deploy.created_at);
  return {
    origin: project && addresses().site(project.slug),
    now,
    repository: sourceRepository(deploy),
    dates: { now, before: await earlierSite(db, deploy) },
  };
}

/** The repository that a deploy's files are from, as its sender said; undefined for none. */
function sourceRepository(deploy: DeployRow): SourceRepository | undefined {
  const commit = commitOf(deploy);
  if (!commit?.repository) return undefined;
  const { url, host, folder, isPublic } = commit.repository;
  return {
    ...{ url, host: host ?? undefined, branch: commit.branch ?? undefined },
    ...{ folder: folder ?? undefined, isPublic },
  };
}

const SITEMAP = /^\/sitemap(?:-\d+)?\.xml$/;

/** What the deploy says of its pages that is live where this one will be; undefined where none is. */
async function earlierSite(
  db: Db,
  { project_id, version }: DeployRow,
): Promise<EarlierSite | undefined> {
  const live = await findLiveManifest(db, project_id, version);
  if (!live) return undefined;
  const sitemaps = await readSitemaps(db, live.manifest);
  const pages = Object.entries(live.manifest.files).filter(([path]) => path.endsWith('.md'));
  return {
    at: instant(live.createdAt),
    sitemaps: [...sitemaps.values()],
    markdown: Object.fromEntries(pages.map(([path, { hash }]) => [path, hash])),
  };
}

/** The sitemaps of a stored artifact, by path. */
export async function readSitemaps(db: Db, { files }: Manifest): Promise<Map<string, string>> {
  const sitemaps = new Map<string, string>();
  for (const [path, { hash }] of Object.entries(files)) {
    const bytes = SITEMAP.test(path) ? await readBlob(db, hash) : undefined;
    if (bytes) sitemaps.set(path, new TextDecoder().decode(bytes));
  }
  return sitemaps;
}

/** RFC 3339, to the second. */
export const instant = (milliseconds: number) =>
  new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
