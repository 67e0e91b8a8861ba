import { SingleFlight } from '@petstore/service/single-flight.ts';
import { count } from '@petstore/service/text.ts';
import { limitRate } from '../accounts/sign-in-limits.ts';
import { conflict, notFound } from '../api-error.ts';
import { type Actor, SYSTEM } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { beginChecks, findCheck } from '../store/domain-checks.ts';
import { type DomainRow, findDomainById, lockDomain } from '../store/domains.ts';
import { findProjectById } from '../store/projects.ts';
import type { Db } from '../store/schema.ts';
import { applyCheckResult } from './apply-check-result.ts';
import { checkDns, dnsOptions } from './check-dns.ts';
import { expectationOf } from './claim.ts';
import { requireDomainsInPlan } from './domains.ts';
import { keepRecordsSeen } from './move/seen-records.ts';

export type VerifyDeps = Pick<
  Deps,
  'db' | 'now' | 'config' | 'metrics' | 'sealer' | 'siteChanged' | 'domainsChanged'
>;

/** How often Verify may be clicked in a window, for a name and for all names of a project. */
const LIMIT_OF_DOMAIN = { limit: 10, windowMs: 60_000 };
const LIMIT_OF_PROJECT = { limit: 60, windowMs: 60_000 };

/** The checks under way in this process: a second request for the same domain shares the first one's result. */
const underWay = new WeakMap<Db, SingleFlight<DomainRow>>();

/**
 * Checks the DNS of a domain because somebody clicked Verify, and applies the result. Returns the changed domain. It
 * sends no request to the certificate authority. Calls for one domain at the same time share one check. Throws ApiError
 * `rate_limited` where there are too many, `forbidden` where the plan no longer has domains, `conflict` as `checkDomain`.
 */
export function verifyDomain(
  deps: VerifyDeps,
  domain: DomainRow,
  actor: Actor,
): Promise<DomainRow> {
  const checks = underWay.get(deps.db) ?? new SingleFlight();
  underWay.set(deps.db, checks);
  return checks.read(domain.id, () => verify(deps, domain, actor));
}

async function verify(deps: VerifyDeps, { id, ...domain }: DomainRow, actor: Actor) {
  const { db, now } = deps;
  const project = await findProjectById(db, domain.project_id);
  if (!project) throw notFound('project');
  if (domain.verified_at === null) await requireDomainsInPlan(db, project);
  // Counted apart: people with the link do not use up the members' limit.
  const who = actor.via === 'none' ? 'verify-link' : 'verify';
  await limitRate(db, `${who}:${id}`, LIMIT_OF_DOMAIN, now(), tooOften);
  await limitRate(db, `${who}:${project.id}`, LIMIT_OF_PROJECT, now(), tooOften);
  // The schedule of checks starts over: someone is working on the DNS.
  await db.transaction().execute(async (trx) => {
    if (!(await lockDomain(trx, id))) throw notFound('domain');
    const check = await findCheck(trx, id);
    await beginChecks(trx, id, now(), check?.next_check_at ?? now());
  });
  const changed = await checkDomain(deps, id, actor);
  if (!changed || changed.removed_at !== null) throw notFound('domain');
  return changed;
}

function tooOften(waitMs: number): string {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return `Verify was asked for too often. Try again in ${count(seconds, 'second')}; the DNS is checked by itself meanwhile.`;
}

/** How often a check is repeated when the domain changed meanwhile, or was checked by another one. */
const MAX_CHECKS = 3;

/**
 * Checks the DNS of a domain and applies the result. Returns the changed domain, undefined when it is gone. Throws
 * ApiError `conflict` where it changed during each of the checks.
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
    const checksBefore = await findCheck(db, id);
    const expectation = await expectationOf(db, config, domain);
    const result = await checkDns(expectation, {
      ...dnsOptions(config),
      ...(signal && { signal }),
    });
    deps.metrics?.dnsCheck(result.verdict.code);
    const changedProjects = await db.transaction().execute(async (trx) => {
      const at = deps.now();
      const applied = await applyCheckResult(trx, id, result, {
        ...{ at, actor, sealer: deps.sealer, asChecked: domain },
        proofWasRequired: expectation.proof !== undefined,
        // At the last, a check that ended meanwhile is ignored.
        checksBefore: checks < MAX_CHECKS ? checksBefore : undefined,
      });
      if (applied) await keepRecordsSeen(trx, id, result, at);
      return applied;
    });
    if (changedProjects) {
      for (const projectId of changedProjects) deps.siteChanged(projectId);
      if (changedProjects.length > 0) deps.domainsChanged();
      return findDomainById(db, id);
    }
    if (checks === MAX_CHECKS) {
      throw conflict(
        `${domain.hostname} changed, or passed from project to project, each time that it was checked. Try again in a moment.`,
      );
    }
  }
}
