import { conflict, invalidRequest } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import { canonicalHost } from '../edge/host.ts';
import { recordDomainEvent } from '../store/domain-events.ts';
import { type DomainRow, findDomain, listRedirecting, updateDomain } from '../store/domains.ts';
import type { ProjectRow } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import { becomePrimary, primaryIdOf } from './primary.ts';
import type { StoredRedirect } from './stored-redirect.ts';
import { isWildcard, wildcardAbove } from './wildcard.ts';

type Target = Pick<StoredRedirect, 'hostname' | 'path'>;

const SHAPE =
  'redirectTo must be a path of the site, such as /v2, or the https address of another domain of this project, such as https://docs.example.com/api';

/**
 * Reads where a domain is to lead. Throws ApiError `invalid_request` for what is neither a path nor an https address, and
 * for one with a query, a fragment, a port or a user: a request's own query is kept.
 */
export function readRedirectTarget(typed: string): Target {
  const text = typed.trim();
  // A backslash is a slash to browsers, and two of them begin the name of another host.
  const isPath = text.startsWith('/') && !/^\/[/\\]/.test(text);
  const base = isPath ? 'https://path.invalid' : undefined;
  if (/[\s\\]/.test(text) || !URL.canParse(text, base)) throw invalidRequest(`${SHAPE}.`);
  const url = new URL(text, base);
  if (/[?#]/.test(text)) {
    throw invalidRequest(`${SHAPE}, without ? and #: the query of a request is kept as it is.`);
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (path.startsWith('//')) throw invalidRequest(`${SHAPE}.`);
  if (isPath) return { hostname: null, path };
  const hostname = canonicalHost(url.hostname);
  const isPlain = url.protocol === 'https:' && !url.port && !url.username && !url.password;
  if (!isPlain || !hostname) throw invalidRequest(`${SHAPE}.`);
  return { hostname, path };
}

/** The target as people write it. */
export function redirectInWords({ hostname, path }: Target): string {
  return hostname === null ? path || '/' : `https://${hostname}${path}`;
}

/**
 * Redirects all requests to a locked domain elsewhere in its project; null: it shows the site again. Returns what
 * changes in its row. Throws ApiError where it would lead to nowhere, in a circle, or to a name of others.
 */
export async function changeRedirect(
  trx: Trx,
  project: ProjectRow,
  domain: DomainRow,
  { redirect, actor, at }: { redirect: StoredRedirect | null; actor: Actor; at: number },
): Promise<Pick<DomainRow, 'redirect'>> {
  if (redirect) await checkTarget(trx, project, domain, redirect);
  const change = { redirect: redirect && JSON.stringify(redirect) };
  await updateDomain(trx, domain.id, change);
  const said = redirect
    ? `${actor.name} let it redirect to ${redirectInWords(redirect)} (${redirect.status}).`
    : `${actor.name} let it show the site again.`;
  await recordDomainEvent(trx, domain.id, at, 'redirect', said);
  if (!redirect) await becomePrimary(trx, project, { ...domain, redirect: null }, at);
  return change;
}

async function checkTarget(
  trx: Trx,
  project: ProjectRow,
  domain: DomainRow,
  { hostname: target }: Target,
): Promise<void> {
  const { id, hostname } = domain;
  if (isWildcard(hostname)) {
    throw conflict(
      `${hostname} is a wildcard, which shows versions and previews; add the names that are to redirect by themselves.`,
    );
  }
  if ((await primaryIdOf(trx, project, domain)) === id) {
    throw conflict(
      `${hostname} is the primary domain, to which others lead. Make another one primary first.`,
    );
  }
  const redirecting = await listRedirecting(trx, project.id);
  const before = redirecting.find(({ redirect }) => targetOf(redirect) === hostname);
  if (before) {
    throw conflict(
      `${before.hostname} redirects to ${hostname}, which therefore cannot redirect itself. Change that one first.`,
    );
  }
  if (target === null) return;
  if (target === hostname) throw conflict(`${hostname} cannot redirect to itself.`);
  const found =
    (await findDomain(trx, project.id, target)) ??
    (await findDomain(trx, project.id, wildcardAbove(target)));
  if (!found) {
    throw conflict(
      `${target} is not a domain of this project, and a domain redirects within its project alone. Add it first.`,
    );
  }
  if (found.redirect !== null) {
    throw conflict(`${target} redirects itself. Let ${hostname} lead to where that leads.`);
  }
}

const targetOf = (redirect: string | null): string | null =>
  redirect === null ? null : (JSON.parse(redirect) as StoredRedirect).hostname;
