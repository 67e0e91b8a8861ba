import { UserError } from '@petstore/service/user-error.ts';
import type { Call } from './json-client.ts';
import type { StartedAuthority } from './lab-authority.ts';
import type { LabDns } from './lab-dns.ts';
import type { ZoneRecord } from './name-server/zone-record.ts';
import { type Claim, reasonAgainst, type Scenario } from './scenarios/scenario.ts';
import { findScenario, SCENARIOS } from './scenarios/scenarios.ts';

/** What the lab's page and commands can do. */
export interface LabControl {
  /** The domains of all projects, each with the scenario that was applied last. */
  domains(): Promise<readonly LabDomain[]>;
  /** Throws a UserError where there is no such domain or scenario, or the scenario does not fit the domain. */
  applyScenario(choice: {
    hostname: string;
    scenario: string;
    project?: string;
  }): Promise<AppliedScenario>;
  zones: LabDns['zones'];
  /** Throws a UserError for a record that is in none of the zones. */
  addRecord(record: ZoneRecord): void;
  /** Throws a UserError where there is no such record. */
  removeRecord(record: ZoneRecord): void;
}

interface AppliedScenario {
  readonly scenario: Scenario;
  /** The project for whose claim it was applied. */
  readonly project: string;
  /** The other projects that claim the name. */
  readonly others: readonly string[];
}

export interface LabDomain {
  readonly project: string;
  readonly state: 'unverified' | 'verified' | 'active';
  readonly verdict: { readonly code: string; readonly message: string } | null;
  readonly claim: Claim;
  readonly url: string;
  /** The scenario that was applied last; undefined: none yet. */
  readonly scenario: string | undefined;
}

interface DomainBody extends Pick<LabDomain, 'state' | 'verdict' | 'url'> {
  readonly hostname: string;
  readonly isApex: boolean;
  readonly records: readonly (ZoneRecord & { readonly host: string })[];
}

interface Parts {
  readonly dns: LabDns;
  readonly authority: Pick<StartedAuthority, 'setRateLimited'>;
  readonly call: Call;
}

export function createLabControl({ dns, authority, call }: Parts): LabControl {
  const applied = new Map<string, { readonly project: string; readonly scenario: string }>();

  async function domains(): Promise<LabDomain[]> {
    const projects = await call<{ items: { slug: string }[] }>('GET', '/api/projects?limit=100');
    const listed = await Promise.all(
      projects.items.map(async ({ slug }) => {
        const path = `/api/projects/${slug}/domains?limit=100`;
        const { items } = await call<{ items: DomainBody[] }>('GET', path);
        return items.map((domain) => ({ project: slug, domain }));
      }),
    );
    return listed.flat().map(({ project, domain }) => {
      const { state, verdict, url, hostname } = domain;
      const last = applied.get(hostname);
      const scenario = last?.project === project ? last.scenario : undefined;
      return { project, state, verdict, url, claim: claimOf(domain), scenario };
    });
  }

  return {
    domains,
    async applyScenario({ hostname, scenario: id, project }) {
      const scenario = findScenario(id);
      if (!scenario) {
        const known = SCENARIOS.map((each) => each.id).join(', ');
        throw new UserError(`There is no scenario ${JSON.stringify(id)}. There are: ${known}.`);
      }
      const claims = (await domains()).filter(({ claim }) => claim.hostname === hostname);
      const domain = claims.find((each) => project === undefined || each.project === project);
      if (!domain)
        throw new UserError(
          `${hostname} is not yet a domain of ${project === undefined ? 'any project' : `the project ${project}`}. Add it in the dashboard first.`,
        );
      const reason = reasonNot(scenario, domain.claim);
      if (reason !== undefined) throw new UserError(reason);
      const setup = scenario.setup(domain.claim);
      dns.applyScenario(hostname, domain.claim.zone, setup);
      authority.setRateLimited(hostname, setup.isRateLimited === true);
      applied.set(hostname, { project: domain.project, scenario: id });
      const others = claims.filter((each) => each !== domain).map((each) => each.project);
      return { scenario, project: domain.project, others };
    },
    zones: dns.zones,
    addRecord: (record) => sayingWhy(() => dns.add(record)),
    removeRecord: (record) => sayingWhy(() => dns.remove(record)),
  };

  function reasonNot(scenario: Scenario, claim: Claim): string | undefined {
    if (scenario.setup(claim).recordsOfSecond && !dns.hasSecond)
      return 'This machine has no second address on loopback for a second name server; Linux has.';
    return reasonAgainst(scenario, claim);
  }
}

function sayingWhy(change: () => void): void {
  try {
    change();
  } catch (error) {
    throw error instanceof RangeError ? new UserError(error.message) : error;
  }
}

function claimOf({ hostname, isApex, records }: DomainBody): Claim {
  const host = records.find(({ name }) => name === hostname)?.host ?? '';
  const zone =
    isApex || !hostname.startsWith(`${host}.`) ? hostname : hostname.slice(host.length + 1);
  const plain = records.map(({ name, type, value, ttl = 300 }) => ({ name, type, value, ttl }));
  return { hostname, zone, isApex, records: plain };
}
