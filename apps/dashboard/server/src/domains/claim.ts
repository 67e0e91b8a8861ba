import { randomId } from '../accounts/secrets.ts';
import type { Actor } from '../audit/actor.ts';
import type { DomainRow } from '../store/domains.ts';

/** What the TXT record of a claim must hold: nobody guesses its 160 bits. */
export function makeProof(): string {
  return `docs-verify=${randomId(32)}`;
}

/** A new claim of a project to a name. */
export function newClaim(
  projectId: string,
  hostname: string,
  at: number,
  { name }: Pick<Actor, 'name'>,
): DomainRow {
  return {
    id: `dom_${randomId(16)}`,
    project_id: projectId,
    hostname,
    // 100 bits: nobody meets another's target by chance, and nobody can make it theirs.
    target_label: randomId(20),
    proof: makeProof(),
    link_secret: randomId(32),
    verified_at: null,
    holds: 0,
    created_at: at,
    created_by_email: name,
    removed_at: null,
    moved_away_at: null,
    hsts_max_age: null,
    hsts_include_subdomains: 0,
  };
}
