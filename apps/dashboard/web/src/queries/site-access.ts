import { queryOptions } from '@tanstack/react-query';
import type { SiteAccess } from '../../../server/src/site-access/site-access.ts';
import { path } from '../api.ts';
import { get } from './get.ts';
import { keys } from './keys.ts';

/** Who may read a project's sites. */
export const siteAccessQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.siteAccess(slug),
    queryFn: get<SiteAccess>(path`/projects/${slug}/access`),
  });
