import type { AuditEntry } from '../../../server/src/audit/audit-entry.ts';
import { path } from '../api.ts';
import type { AuditFilter } from '../audit/audit-filter.ts';
import { pagedList } from './get.ts';
import { keys } from './keys.ts';

/** The audit log of a project, or of the whole installation without one, as far as a filter leaves it. */
export const auditQuery = (slug: string | undefined, filter: AuditFilter) => {
  const query = new URLSearchParams(filter).toString();
  return slug === undefined
    ? pagedList<AuditEntry>(['audit', query], `/audit?${query}`)
    : pagedList<AuditEntry>(
        [...keys.project(slug), 'audit', query],
        `${path`/projects/${slug}/audit`}?${query}`,
      );
};
