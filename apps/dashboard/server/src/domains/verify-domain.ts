import { notFound, rateLimited } from '../api-error.ts';
import { type Actor, SYSTEM } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { beginChecks, findCheck } from '../store/domain-checks.ts';
import { type DomainRow, findDomainById, lockDomain } from '../store/domains.ts';
import { findProjectById } from '../store/projects.ts';
import { incrementCounter } from '../store/rate-counters.ts';
import { checkDns } from './dns/check-dns.ts';
import { expectationOf } from './expectation.ts';
import { refuseWithoutDomains } from './plan.ts';
import { takeConsequences } from './take-consequences.ts';

export type VerifyDeps = Pick<Deps, 'db' | 'now' | 'config' | 'siteChanged' | 'domainsChanged'>;

/** Clicks on Verify in a window, for a name and for all names of a project. */
const WINDOW_MS = 60_000;
const LIMITS = { domain: 10, project: 60 } as const;

/** Checks under way in this process: who asks for the same meanwhile gets the same answer. */
const underWay = new WeakMap<object, Map<string, Promise<DomainRow>>>();

/**
 * Asks the DNS at a person's wish and takes the consequences; the domain as it is then. It never asks the
 * certificate authority anything. Calls for one domain at the same time are one. Throws ApiError
 * `rate_limited` where there are too many, `forbidden` where the plan no longer has domains.
 */
export function verifyDomain(
  deps: VerifyDeps,
  domain: DomainRow,
  actor: Actor,
): Promise<DomainRow> {
  const waiting = underWay.get(deps.db) ?? new Map<string, Promise<DomainRow>>();
  underWay.set(deps.db, waiting);
  const running = waiting.get(domain.id);
  if (running) return running;
  const work = verify(deps, domain, actor).finally(() => waiting.delete(domain.id));
  waiting.set(domain.id, work);
  return work;
}

async function verify(deps: VerifyDeps, { id, ...domain }: DomainRow, actor: Actor) {
  const { db, now } = deps;
  const project = await findProjectById(db, domain.project_id);
  if (!project) throw notFound('project');
  if (domain.verified_at === null) refuseWithoutDomains(project.plan);
  // Whoever has the link does not keep the members waiting.
  const who = actor.via === 'none' ? 'verify-link' : 'verify';
  await countVerify(deps, `${who}:${id}`, LIMITS.domain);
  await countVerify(deps, `${who}:${project.id}`, LIMITS.project);
  // The waits between checks begin anew: someone is at it.
  await db.transaction().execute(async (trx) => {
    if (!(await lockDomain(trx, id))) throw notFound('domain');
    const check = await findCheck(trx, id);
    await beginChecks(trx, id, now(), check?.next_check_at ?? now());
  });
  const changed = await checkDomain(deps, id, actor);
  if (!changed || changed.removed_at !== null) throw notFound('domain');
  return changed;
}

async function countVerify({ db, now }: VerifyDeps, key: string, limit: number): Promise<void> {
  const { count, resetsAt } = await incrementCounter(db, key, now(), WINDOW_MS);
  if (count <= limit) return;
  const seconds = Math.max(1, Math.ceil((resetsAt - now()) / 1_000));
  throw rateLimited(
    `Verify was asked for too often. Try again in ${seconds} second${seconds === 1 ? '' : 's'}; the DNS is checked by itself meanwhile.`,
    resetsAt - now(),
  );
}

/** How often a check is made anew whose question changed while it was asked. */
const MAX_CHECKS = 3;

/**
 * Asks the DNS about a domain and takes the consequences; the domain as it is then, undefined when it is
 * gone.
 */
export async function checkDomain(
  deps: VerifyDeps,
  id: string,
  actor: Actor = SYSTEM,
  signal?: AbortSignal,
): Promise<DomainRow | undefined> {
  const { db, config } = deps;
  for (let checks = 1; ; checks++) {
    const domain = await findDomainById(db, id);
    if (!domain) return undefined;
    const expectation = await expectationOf(db, config, domain);
    const found = await checkDns(expectation, {
      servers: config.dnsServers,
      authoritativePort: config.dnsAuthoritativePort,
      arePrivateAllowed: config.dnsPrivateServers === 'allow',
      ...(signal && { signal }),
    });
    const changed = await db.transaction().execute((trx) =>
      takeConsequences(trx, id, found, {
        at: deps.now(),
        actor,
        isProven: expectation.proof !== undefined,
      }),
    );
    if (changed) {
      for (const projectId of changed) deps.siteChanged(projectId);
      if (changed.length > 0) deps.domainsChanged();
      return findDomainById(db, id);
    }
    if (checks === MAX_CHECKS) throw new Error(`${domain.hostname} changes hands all the time`);
  }
}
