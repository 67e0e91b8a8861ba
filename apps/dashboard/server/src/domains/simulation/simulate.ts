import { domainToUnicode } from 'node:url';
import { count } from '@petstore/service/text.ts';
import { limitRate } from '../../accounts/sign-in-limits.ts';
import type { Deps } from '../../deps.ts';
import { findDomain } from '../../store/domains.ts';
import type { ProjectRow } from '../../store/projects.ts';
import { dnsOptions, observeDns } from '../check-dns.ts';
import { expectationOf, newClaim } from '../claim.ts';
import { judge } from '../dns/judge.ts';
import type { Observation, View } from '../dns/observation.ts';
import { NO_CHANGES, type RecordChanges } from '../dns/record-changes.ts';
import { isFailureKind } from '../dns/rules/lookup-failures.ts';
import { readHostname, zoneOf } from '../hostname.ts';
import { consequencesOf } from './consequences.ts';
import { permissionsOf } from './permissions.ts';
import { readRecord } from './read-record.ts';
import type { Simulation, SimulationRequest } from './simulation.ts';

type SimulationDeps = Pick<Deps, 'db' | 'now' | 'config' | 'addresses'>;

/** How often the members of a project may ask in a window: each sends as many queries as a check. */
const LIMIT = { limit: 30, windowMs: 60_000 };

/** In the place of what a name gets when it is added. */
const EXAMPLE_LABEL = 'your-own-target';
const EXAMPLE_PROOF = 'docs-verify=shown-when-the-domain-is-added';

/**
 * Checks the DNS of a name as Verify does, and once more with records that are not there. Nothing is stored, and the
 * name need not be a domain of the project. Throws ApiError `hostname must …`, `name must …`, `value must …`,
 * `rate_limited`.
 */
export async function simulate(
  { db, now, config, addresses }: SimulationDeps,
  project: ProjectRow,
  request: SimulationRequest,
): Promise<Simulation> {
  const hostname = readHostname(request.hostname, {
    platformHost: config.platformHost,
    dashboardHost: new URL(addresses().dashboard).hostname,
  });
  const zone = zoneOf(hostname);
  const changes: RecordChanges = {
    set: (request.set ?? []).map((record) => readRecord(record, zone)),
    remove: request.remove ?? [],
  };
  await limitRate(db, `dns-simulation:${project.id}`, LIMIT, now(), tooOften);

  const domain = await findDomain(db, project.id, hostname);
  const claim = domain ?? {
    ...newClaim(project.id, hostname, now(), { name: '' }),
    ...{ target_label: EXAMPLE_LABEL, proof: EXAMPLE_PROOF },
  };
  const expectation = await expectationOf(db, config, claim);
  const isChanged = changes.set.length + changes.remove.length > 0;
  const all = isChanged ? [NO_CHANGES, changes] : [NO_CHANGES];
  const [today, then = today] = (await observeDns(expectation, all, dnsOptions(config))).map(
    (observation) => {
      const view = decidingView(observation);
      const { verdict } = judge(observation, expectation);
      const more = request.authority?.toLowerCase();
      const authorities = view ? permissionsOf(view, expectation, more) : [];
      return { observation, view, verdict, authorities };
    },
  );
  if (!today || !then) throw new Error('nothing was observed');
  const records = then.view && 'records' in then.view.caa ? then.view.caa.records : [];
  const before = today.view && { ...today, view: today.view };
  const after = then.view && { ...then, view: then.view };
  return {
    hostname,
    unicode: domainToUnicode(hostname),
    isDomain: domain !== undefined,
    target: expectation.target,
    verdict: then.verdict,
    today: isChanged ? today.verdict : null,
    consequences:
      isChanged && before && after ? consequencesOf(hostname, before, after, changes) : [],
    climb: climbsOf(then.observation),
    decidedAt: records[0]?.name ?? null,
    authorities: then.authorities,
    dnssec: dnssecOf(then.observation),
  };
}

function tooOften(waitMs: number): string {
  return `The DNS was asked for too often. Try again in ${count(Math.max(1, Math.ceil(waitMs / 1_000)), 'second')}.`;
}

/** Of the first of the zone's own servers that answers, as the verdict is; otherwise of the first resolver that does. */
function decidingView({ zoneServers, resolvers }: Observation): View | undefined {
  const all = [...zoneServers, ...resolvers];
  return all.find(({ chain }) => !isFailureKind(chain.end)) ?? all[0];
}

function climbsOf({ zoneServers, resolvers }: Observation): Simulation['climb'] {
  return [...zoneServers, ...resolvers].map(({ label, climb }) => ({
    server: label,
    steps: climb.map(({ name, aliases, records, failure }) => ({
      ...{ name, aliases: aliases.map(bare), records: records.map(bare) },
      failure: failure ?? null,
    })),
  }));
}

function bare({ type, name, value }: { type: string; name: string; value: string }) {
  return { type, name, value };
}

function dnssecOf({ resolvers }: Observation): Simulation['dnssec'] {
  if (resolvers.some(({ isAuthentic, brokenLink }) => isAuthentic && !brokenLink)) return 'valid';
  return resolvers.some(({ brokenLink }) => brokenLink) ? 'broken' : 'unknown';
}
