import type { BuildLog } from '../build-log.ts';
import type { CheckedDocument } from '../openapi/openapi-types.ts';
import { connectOrigins } from '../request/connect-origins.ts';
import { addFrame } from '../site/add-frame.ts';
import { siteAssets } from '../site/assets.ts';
import type { SiteFrame, SiteLink } from '../site/frame.ts';
import { indexFiles } from '../site/index-files.ts';
import { sitePolicy } from '../site/policy.ts';
import { type BuiltSite, siteFiles } from '../site/site-files.ts';
import type { ReferenceContext } from './reference-context.ts';
import { descriptionOf, referenceContext, titleOf } from './reference-site.ts';

export interface DocumentSiteOptions {
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
  { overview, links, downloads, isServedByApi }: DocumentSiteOptions = ALONE,
): Promise<BuiltSite> {
  const options = { overview, downloads, images: new Set<string>() };
  const reference = referenceContext(checked, options, log);
  const title = titleOf(checked.upgraded);
  const files = siteFiles();
  const frame: SiteFrame = {
    title,
    logo: undefined,
    links,
    groups: [],
    reference: reference.addresses,
    assets: await siteAssets(),
    accent: undefined,
    isServedByApi,
    announcement: undefined,
    headerLinks: [],
    footerLinks: [],
  };
  addFrame(files, { frame, pages: [], reference }, log);
  files.add(indexFiles({ title, description: descriptionOf(reference), pages: [], reference }));
  return {
    title,
    files: files.all(),
    contentSecurityPolicy: sitePolicy(connectOrigins(checked.upgraded)),
    redirects: overview === '/' ? { '/reference': '/' } : {},
  };
}
