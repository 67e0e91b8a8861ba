import type { Caller } from '../accounts/caller.ts';
import { hashSecret, makeSecret } from '../accounts/secrets.ts';
import { limitRate } from '../accounts/sign-in-limits.ts';
import { forbidden, notFound } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { localPath, PATHS } from '../edge/access/paths.ts';
import { canonicalHost } from '../edge/host.ts';
import type { SiteSource } from '../edge/sites/site-source.ts';
import { mayAccountRead } from '../store/site-access.ts';
import { insertTicket } from '../store/site-sessions.ts';
import type { SiteSignIn } from './site-access.ts';

/** How long a ticket is good, in milliseconds: a redirect takes no longer. */
const LIFETIME_MS = 60_000;

const TICKETS = { limit: 300, windowMs: 15 * 60_000 } as const;

/**
 * A ticket that carries the caller over to a private site: good once, on this host, and in the browser that asked for
 * it. Returns the address that takes it, which is of a site of this installation, whatever was asked for. Throws ApiError
 * where there is no such site, or the caller may not read it.
 */
export async function issueTicket(
  { db, now, addresses }: Pick<Deps, 'db' | 'now' | 'addresses'>,
  source: Pick<SiteSource, 'findSite'>,
  { host: asked, state, to: wanted }: SiteSignIn,
  { user, sessionId }: Caller,
): Promise<string> {
  const tooMany = () => 'You went on to private sites very often lately. Try again later.';
  await limitRate(db, `site-ticket:${user.id}`, TICKETS, now(), tooMany);
  const host = canonicalHost(asked);
  const site = host && (await source.findSite(host));
  if (!host || !site) throw notFound('site');
  const to = localPath(wanted);
  // It has become public meanwhile.
  if (!site.access) return (site.secureOrigin ?? addresses().domainWithoutTls(host)) + to;
  if (!(await mayAccountRead(db, site.projectId, user)))
    throw forbidden(
      `Your account ${user.email} may not read this site. Ask its owners, or sign in with another account.`,
    );
  const ticket = makeSecret();
  await insertTicket(
    db,
    {
      ...{ ticket_hash: hashSecret(ticket), project_id: site.projectId, host, state },
      ...{ session_id: sessionId ?? '', expires_at: now() + LIFETIME_MS },
    },
    now(),
  );
  return `${site.access.origin}${PATHS.ticket}?${new URLSearchParams({ ticket, to })}`;
}
