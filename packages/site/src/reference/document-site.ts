import type { BuildLog } from '../build-log.ts';
import type { siteChangelog } from '../changelog/site-changelog.ts';
import type { CheckedDocument } from '../openapi/openapi-types.ts';
import { NO_SOURCE_CONFIG, sourceLinks } from '../repository/source-links.ts';
import { connectOrigins } from '../request/connect-origins.ts';
import { allFiles } from '../site/all-files.ts';
import { siteAssets } from '../site/assets.ts';
import type { SiteFrame, SiteLink } from '../site/frame.ts';
import { sitePolicy } from '../site/policy.ts';
import { sitePreviews } from '../site/preview/site-previews.ts';
import type { Publication } from '../site/publication.ts';
import type { BuiltSite } from '../site/site-files.ts';
import { DEFAULT_COLOR, themeFiles } from '../site/theme.ts';
import type { ReferenceContext } from './reference-context.ts';
import { descriptionOf, referenceContext } from './reference-site.ts';

export interface DocumentSiteOptions extends Publication {
  /** The path of the introduction. */
  readonly overview: string;
  /** Links in the header. */
  readonly links: readonly SiteLink[];
  /** Where the document can be had. */
  readonly downloads: ReferenceContext['downloads'];
  /** Whether the documented API itself serves the site. */
  readonly isServedByApi: boolean;
}

const ALONE: DocumentSiteOptions = {
  overview: '/',
  links: [],
  downloads: { json: '/openapi.json', yaml: '/openapi.yaml' },
  isServedByApi: false,
};

/** The site of a document alone. By default its introduction is at `/`. */
export async function documentSite(
  checked: CheckedDocument,
  log: BuildLog,
  given: Partial<DocumentSiteOptions> = {},
): Promise<BuiltSite> {
  const {
    overview,
    links,
    downloads,
    isServedByApi,
    origin,
    dates,
    limits,
    repository,
    changelog,
  } = {
    ...ALONE,
    ...given,
  };
  const none: ReadonlySet<string> = new Set();
  // The API has paths of its own.
  const paths = isServedByApi ? undefined : none;
  const changes = changelog && changelog.entries.length > 0 ? changelog : undefined;
  const options = { overview, downloads, images: none, paths, changelog: changes };
  const reference = referenceContext(checked, options, log);
  const { title } = reference;
  const references = [reference];
  const description = descriptionOf(reference);
  const color = DEFAULT_COLOR;
  const usual = { color, darkColor: undefined, fonts: [], iconRules: [], ownStyle: undefined };
  const frame: SiteFrame = {
    title,
    logo: undefined,
    links,
    tabs: [],
    references,
    assets: await siteAssets(),
    theme: themeFiles(usual),
    previews:
      origin === undefined ? undefined : sitePreviews({ origin, title, description, color }),
    isServedByApi,
    hasFeedback: !isServedByApi,
    source: sourceLinks(NO_SOURCE_CONFIG, repository),
    favicon: undefined,
    announcement: undefined,
    headerLinks: [],
    footerLinks: [],
    hasChangelog: changes !== undefined,
  };
  const written = changes && (await changelogOf({ title, api: changes, origin, references }));
  const index = { title, description, pages: [], references };
  return {
    title,
    files: allFiles(
      { frame, own: [], pages: [], references, index, changelog: written, dates, limits },
      log,
    ),
    contentSecurityPolicy: sitePolicy(connectOrigins([checked.upgraded]), {
      hasFeedback: !isServedByApi,
    }),
    redirects: overview === '/' ? { '/reference': '/' } : {},
  };
}

/** Loaded where there is one: the API's own reference needs none of it. */
async function changelogOf(parts: Omit<Parameters<typeof siteChangelog>[0], 'notes'>) {
  const { siteChangelog: make } = await import('../changelog/site-changelog.ts');
  const { writtenChangelog } = await import('../changelog/changelog-files.ts');
  return writtenChangelog(make({ ...parts, notes: [] }));
}
