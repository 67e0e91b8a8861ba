import { hrefOf } from '../site/site-files.ts';
import { editAddress, fileAddress } from './file-addresses.ts';
import { hostOf, type RepositoryHost } from './web-address.ts';

/** The repository that a site is made of, as far as it is known. */
export interface SourceRepository {
  /** webAddress of it. */
  readonly url: string;
  readonly host: RepositoryHost | undefined;
  readonly branch: string | undefined;
  /** The folder of the repository with the site's files; empty for its root, undefined where nobody knows. */
  readonly folder: string | undefined;
  /** Everybody may read it: then the site leads there without being told to. */
  readonly isPublic: boolean;
}

/** What `docs.yaml` says of links to the site's files. */
export interface SourceConfig {
  /** `url`: an address with `{path}` in it. undefined: there are links where the repository is public. */
  readonly edit: boolean | { readonly url: string } | undefined;
  /** In place of what the deploy knows. */
  readonly repository: Partial<Omit<SourceRepository, 'isPublic'>> | undefined;
}

export const NO_SOURCE_CONFIG: SourceConfig = { edit: undefined, repository: undefined };

/** The addresses of a site's files at the host of its repository; undefined where they have none. */
export interface SourceLinks {
  /** Where a file of the site is edited. */
  edit(file: string): string | undefined;
  /** Where it is read, at one of its lines. `line` is not called where there are no addresses. */
  view(file: string, line: () => number | null): string | undefined;
  /** Why a configuration that asks for links gets none: the end of a sentence. */
  readonly missing: string | undefined;
}

export const NO_SOURCE_LINKS: SourceLinks = {
  edit: () => undefined,
  view: () => undefined,
  missing: undefined,
};

/** How the pages of a site lead to their files. `known`: the repository of the deploy. */
export function sourceLinks(
  { edit, repository }: SourceConfig,
  known: SourceRepository | undefined,
): SourceLinks {
  if (edit === false) return NO_SOURCE_LINKS;
  if (typeof edit === 'object') {
    const address = (file: string) => edit.url.replaceAll('{path}', () => hrefOf(file));
    return { edit: address, view: address, missing: undefined };
  }
  const isWanted = edit === true || repository !== undefined;
  if (!isWanted && !known?.isPublic) return NO_SOURCE_LINKS;
  const { url, host, branch, folder } = merged(repository, known);
  const missing =
    (url === undefined && 'the repository is not known: name it as `repository.url`') ||
    (host === undefined &&
      'the name of its host does not tell what it runs: write `repository.host`') ||
    (branch === undefined && 'the branch is not known: name it as `repository.branch`') ||
    (folder === undefined &&
      'the folder of the repository is not known: name it as `repository.folder`');
  if (missing || url === undefined || branch === undefined)
    return { ...NO_SOURCE_LINKS, missing: isWanted ? missing || undefined : undefined };
  const inRepository = (file: string) => [...(folder ? [folder] : []), file].join('/');
  return {
    edit: (file) => editAddress({ url, host }, branch, inRepository(file)),
    view: (file, line) => fileAddress({ url, host }, branch, inRepository(file), line()),
    missing: undefined,
  };
}

/** What the deploy knows is of no other repository than its own. */
function merged(
  said: SourceConfig['repository'] = {},
  known: SourceRepository | undefined,
): Partial<SourceRepository> {
  if (said.url === undefined || said.url === known?.url) return { ...known, ...said };
  return { host: hostOf(said.url), folder: '', ...said };
}
