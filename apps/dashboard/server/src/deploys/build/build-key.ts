import { hash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { hashSources } from '@petstore/service/build-once.ts';
import type { SourceFiles } from '@petstore/site/build-log.ts';
import { notesToCome } from '@petstore/site/changelog/notes.ts';
import type { SourceRepository } from '@petstore/site/repository/source-links.ts';
import type { Publication } from '@petstore/site/site/publication.ts';
import type { BuildInput } from '../artifact.ts';

/** The folder of the whole product. */
const ROOT = fileURLToPath(new URL('../../../../../../', import.meta.url));

/** What builds run. npm lists the packages that are installed in the last one. */
const CODE = [
  'packages/site/browser',
  'packages/site/src',
  'packages/site/vendor',
  'packages/service/src',
  'packages/http/src',
  'apps/dashboard/server/src/deploys',
  'node_modules/.package-lock.json',
] as const;

type Circumstances = Pick<BuildInput, 'kind' | 'document' | 'limits'> &
  Pick<Publication, 'origin' | 'now' | 'repository'>;

/**
 * The key of a build: the same for two builds whose artifacts differ in nothing but the changelog of the API and the
 * dates of pages, and whose log is the same. It has the contents of all files, since two archives of the same folder
 * differ in times and order; what the service adds; the repository where pages may lead there; the notes whose day has
 * not come; and the code itself, so that a release never takes what another one has made.
 */
export async function buildKey(
  files: SourceFiles,
  { kind, document, limits, origin, now, repository }: Circumstances,
): Promise<string> {
  const contents = [...files].map(([path, bytes]) => [path, hash('sha256', bytes, 'hex')]);
  contents.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const isArchive = kind !== 'document';
  const sent = [isArchive, document, contents];
  const later = now === undefined ? [] : notesToCome(files.keys(), now);
  const leadsTo = repository && mayLeadTo(files, repository) ? repository : null;
  const parts = [await hashCode(), process.version, origin, limits, leadsTo, sent, later];
  return hash('sha256', JSON.stringify(parts), 'hex');
}

/** Whether pages may lead to their files in a repository: then the same files of another branch are another site. */
function mayLeadTo(files: SourceFiles, { isPublic }: SourceRepository): boolean {
  if (isPublic) return true;
  const config = files.get('docs.yaml') ?? files.get('docs.yml');
  return config !== undefined && /edit|repository/.test(new TextDecoder().decode(config));
}

let code: Promise<string> | undefined;

/** The code of this process does not change while it runs. */
function hashCode(): Promise<string> {
  code ??= hashSources({ root: ROOT, paths: CODE, manifest: `${ROOT}package.json` });
  return code;
}
