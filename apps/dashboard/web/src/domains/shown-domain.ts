import type { LinkedDomain } from '../../../server/src/domains/domain.ts';

/** What the project's members see of a domain and those with its link, too. */
export type ShownDomain = Omit<LinkedDomain, 'projectName'>;
