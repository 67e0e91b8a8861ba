import type { LinkedDomain } from '../../../server/src/domains/domain.ts';

/** The part of a domain that both the project's members and people with its link see. */
export type ShownDomain = Omit<LinkedDomain, 'projectName'>;
