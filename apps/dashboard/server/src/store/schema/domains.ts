import type { Generated } from 'kysely';

export interface DomainTables {
  /** A project's claim to a host name. Several projects may claim one; one of them at most holds it. */
  domains: {
    id: string;
    project_id: string;
    /** A CanonicalHost. Unique within a project, and among those that hold. */
    hostname: string;
    /**
     * The first label of the claim's own host under the platform's: random, so nobody can guess where a record will
     * point.
     */
    target_label: string;
    /** The label of its challenges in the installation's zone, where it is no longer `target_label`; null: it is. */
    challenge_label: string | null;
    /** The value of the TXT record that proves ownership. */
    proof: string;
    /** The secret of the link that shows the records to the owner of the DNS, without an account. */
    link_secret: string;
    /** When it was verified; null: not yet, or no more. */
    verified_at: number | null;
    /**
     * 1 from verification on, also once removed, while DNS points here: no other project gets the name without
     * proof.
     */
    holds: number;
    created_at: number;
    created_by_email: string;
    /** Serves nothing from here on; the row, with its certificate, stays to reserve the name while DNS points here. */
    removed_at: number | null;
    /** 1: the CNAME record of its challenges proves it, and it may be verified before its DNS points here. */
    prepare: Generated<number>;
    /** 1: verified by that record alone so far. It is served, and its DNS has never pointed here. */
    awaits_move: Generated<number>;
    /** Since when DNS of the verified name points elsewhere. */
    moved_away_at: number | null;
    /** Strict-Transport-Security: max-age in seconds; null: not sent. */
    hsts_max_age: number | null;
    hsts_include_subdomains: number;
    /** The one version that it shows; null: the whole site. */
    version: Generated<string | null>;
    /** Where all its requests lead, as JSON (domains/redirect.ts); null: it shows the site. */
    redirect: Generated<string | null>;
    /** 1: the second of a pair, which becomes primary by no other way than being chosen. */
    is_second: Generated<number>;
  };

  /** What happened to a domain, for its timeline. */
  domain_events: {
    id: Generated<number>;
    domain_id: string;
    at: number;
    /** DomainEventKind of domains/domain.ts. */
    kind: string;
    /** A sentence for people. */
    message: string;
    /** JSON. */
    details: string;
  };

  /** What was seen of a domain's move. */
  domain_moves: {
    domain_id: string;
    /** JSON: the records that the name had when it was first seen to lead elsewhere; null: none was seen. */
    old_records: string | null;
    old_seen_at: number | null;
    /** When the host that they lead to answered last. */
    old_answered_at: number | null;
    /** When the name was first seen to lead here; null: it does not, or never did. */
    arrived_at: number | null;
    /** When an edge had a request for the name last, to about ten seconds; null: none was counted. */
    last_request_at: number | null;
  };

  /** Requests for a domain that moves, at all edges together. */
  domain_requests: {
    domain_id: string;
    /** Minutes since 1970. */
    minute: number;
    requests: number;
  };

  /** The state of a domain's DNS checks: one row a domain. */
  domain_checks: {
    domain_id: string;
    /** JSON: Verdict of domains/verdict.ts; null before the first check. */
    verdict: string | null;
    /** 1: the name's records lead to this claim's host, whatever else is wrong. */
    points_here: number;
    /** 1: the CNAME record of its challenges leads to this claim's name in the installation's zone. */
    challenge_here: Generated<number>;
    checked_at: number | null;
    /** When the backoff between checks was reset. */
    began_at: number;
    /** Checks since then. */
    attempts: number;
    /** null: no further background check. */
    next_check_at: number | null;
    leased_by: string | null;
    leased_until: number | null;
  };

  /** The latest rehearsal of a domain's move. */
  rehearsals: {
    domain_id: string;
    requested_at: number;
    requested_by: string;
    /** null: it is still to be done, or under way. */
    finished_at: number | null;
    /** How often it was begun. */
    attempts: number;
    /** Pages of the old site so far. */
    pages_seen: number;
    /** Why it failed. */
    problem: string | null;
    /** JSON: RehearsalResult of domains/rehearsal/rehearsal.ts. */
    result: string | null;
    leased_by: string | null;
    leased_until: number | null;
  };

  /** The keys that sign requests to DNS providers (Domain Connect). */
  domain_connect_keys: {
    /** In the installation's zone. */
    label: string;
    /** The private key, sealed (certificates/sealing.ts). */
    sealed_key: string;
    /** SubjectPublicKeyInfo in DER, in base64. */
    public_key: string;
    created_at: number;
  };

  /** The serial of the installation's own zone, and what the zone had when it was counted. */
  zone_serials: {
    zone: string;
    /** A hash of the records. */
    content: string;
    serial: number;
  };
}
