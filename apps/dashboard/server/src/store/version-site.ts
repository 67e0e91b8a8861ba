import { movedTo, type Site } from '../edge/sites/site-source.ts';

/** A host as the one that shows a version alone. */
export function versionSite(
  site: Site,
  name: string,
  versions: Site['versions'],
  whole: Pick<Site, 'origin' | 'artifactHash'>,
): Site {
  const version = versions?.all.find((one) => one.name === name);
  if (!version) return emptySite(site);
  const { artifactHash, origin = site.origin } = version;
  // The site knows where the pages of a retired version are now.
  if (artifactHash === undefined)
    return { ...site, redirect: { ...movedTo(whole.origin), path: `/${name}` } };
  if (origin !== site.origin) return { ...site, redirect: movedTo(origin) };
  return { ...site, artifactHash, versions, only: { name, whole } };
}

/** A host that shows nothing, with its certificate. */
export function emptySite(site: Site): Site {
  return { ...site, artifactHash: '', isPreview: true, isEmpty: true };
}
