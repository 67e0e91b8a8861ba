import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { invalidRequest } from '../api-error.ts';
import type { AuditFilter } from '../store/audit.ts';

const Text = (description: string, examples: string[]) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 300, description, examples }));

/** What narrows a log: each that is given must hold. */
export const AUDIT_FILTER = {
  actor: Text('Who did it: an e-mail address, `operator`, `repository` or `system`.', [
    'ada@example.com',
  ]),
  action: Text('What was done, or the group of it, such as `deploy` for all of `deploy.…`.', [
    'deploy.activate',
  ]),
  target: Text('What it was done to, as entries have it.', ['docs.example.com', '#12']),
  from: Text('The first instant, or the first day in UTC.', ['2026-11-01']),
  to: Text('The last instant, or the last day in UTC, which is included.', ['2026-11-30']),
};
const QUERY = Type.Object(AUDIT_FILTER);

/** The same for the log of the installation. */
export const INSTALLATION_AUDIT_FILTER = {
  ...AUDIT_FILTER,
  project: Text('The slug of a project.', ['petstore']),
};

/** The conditions of a query. Throws ApiError, with what would be right, for what cannot be an action or a time. */
export function readAuditFilter(query: Static<typeof QUERY>): AuditFilter {
  const { actor, action, target, from, to } = query;
  if (action !== undefined && !/^[a-z_]+(?:\.[a-z_]+)?$/.test(action)) {
    throw invalidRequest(
      'action must be an action or a group of them, such as deploy.activate or deploy.',
    );
  }
  const filter = {
    actor: actor?.toLowerCase(),
    action,
    target,
    from: from === undefined ? undefined : readTime('from', from)[0],
    until: to === undefined ? undefined : readTime('to', to)[1],
  };
  if ([actor, target].some((text) => text?.includes('\0')))
    throw invalidRequest('actor and target must not have a NUL character.');
  if (filter.from !== undefined && filter.until !== undefined && filter.from >= filter.until)
    throw invalidRequest('from must not be after to.');
  return filter;
}

const DAY_MS = 24 * 3_600_000;

/** A day or an instant, as the first millisecond of it and the first one after it. */
function readTime(name: string, text: string): [first: number, after: number] {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.test(
    text,
  );
  const at = isDay || isInstant ? Date.parse(text) : Number.NaN;
  // JavaScript takes the 31st of a month that has 30 days for the 1st of the next one.
  const isReal = isInstant || (!Number.isNaN(at) && new Date(at).toISOString().startsWith(text));
  if (Number.isNaN(at) || !isReal)
    throw invalidRequest(
      `${name} must be a day or an instant, such as 2026-11-30 or 2026-11-30T12:00:00Z.`,
    );
  return [at, at + (isDay ? DAY_MS : 1)];
}
