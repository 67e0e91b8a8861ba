import type { Generated } from 'kysely';

export interface CertificateTables {
  /** The certificate of a verified domain: the latest one, which replaces the one before. */
  certificates: {
    domain_id: string;
    hostname: string;
    /** PEM, the domain's own certificate first. */
    chain: string;
    /** The private key, sealed (certificates/sealing.ts). */
    sealed_key: string;
    issuer: string;
    serial: string;
    not_before: number;
    not_after: number;
    issued_at: number;
    /** When to begin to renew it, with jitter. */
    renew_at: number;
    /** RFC 9773: the id for renewal information; null where the authority has none. */
    ari_id: string | null;
    /** When to request the renewal information again. */
    ari_check_at: number | null;
    /** Of the authority that issued it; null: it was issued when there was one alone. */
    directory_url: string | null;
  };

  /** The issuance of a certificate, from request to end: at most one row for a domain. */
  issuances: {
    domain_id: string;
    hostname: string;
    kind: 'first' | 'renewal';
    /** The next step: Step of certificates/issuance.ts. */
    step: string;
    /** When the present step was reached. */
    step_at: number;
    requested_at: number;
    /** The directory that the order is at: of the authority that is asked now, or the staging one after a failure. */
    directory_url: string;
    /** JSON: AuthorityFailure[] of certificates/choose-authority.ts: at whom it failed so far. */
    tried: Generated<string>;
    order_url: string | null;
    /** The private key of the certificate, sealed; a new one for each order. */
    sealed_key: string | null;
    /** Failed attempts in a row. */
    failures: number;
    /** null: no further attempt (last_problem says why). */
    next_attempt_at: number | null;
    /** JSON: Problem of certificates/problem.ts. */
    last_problem: string | null;
    leased_by: string | null;
    leased_until: number | null;
  };

  /** The public keys that authorities were asked to certify. */
  certificate_keys: {
    /** SHA-256 of the SubjectPublicKeyInfo, in hex. */
    hash: string;
    at: number;
  };

  /** The certificates of the installation's own names. The work on each is leased as that of issuances is. */
  platform_certificates: {
    /** `*.` and the platform's host, or a name of its own (certificates/platform-names.ts). */
    hostname: string;
    /** PEM, the host's own certificate first; null, as the four below: there is none yet. */
    chain: string | null;
    /** The private key, sealed (certificates/sealing.ts). */
    sealed_key: string | null;
    issuer: string | null;
    serial: string | null;
    not_after: number | null;
    /** Of the challenges under way, with spaces between them. */
    key_authorization: string | null;
    /** Failed attempts in a row. */
    failures: number;
    /** JSON: PlatformProblem of certificates/platform-certificate.ts. */
    last_problem: string | null;
    /** When to try again, or to renew. */
    next_attempt_at: number;
    leased_by: string | null;
    leased_until: number | null;
    /** Of the order under way; null: its address is not known yet. */
    order_url: string | null;
    /** Its private key, sealed; null: there is no order. */
    order_key: string | null;
    /** Of the certificate, as those of `certificates`; null for one from before they were kept. */
    directory_url: string | null;
    not_before: number | null;
    /** When to ask for its renewal information; null: never. */
    ari_id: string | null;
    ari_check_at: number | null;
  };

  /** Certificate Transparency logs that are followed. */
  ct_logs: {
    /** The SHA-256 of the log's key, in hex. */
    id: string;
    /** JSON: StoredPosition of transparency/log-position.ts; null: it was not read yet. */
    position: string | null;
    next_read_at: number;
    /** When it was last read to its end. */
    read_at: number | null;
    /** Failed looks in a row. */
    failures: number;
    /** Why the last look failed. */
    problem: string | null;
    leased_by: string | null;
    leased_until: number | null;
  };

  /** Certificates of others that were told to those whose name they have. */
  ct_certificates: {
    /** The SHA-256 of issuer and serial, in hex: a precertificate and its certificate have the same. */
    fingerprint: string;
    /** The domain, or `platform`. */
    claim: string;
    issuer: string;
    at: number;
  };

  /**
   * Every order of the last eight days. They are counted by name and without reference to the domain, so that neither
   * removing and adding a domain nor deleting a project starts a new budget.
   */
  acme_orders: {
    id: Generated<number>;
    directory_url: string;
    hostname: string;
    /** The registered domain, by which authorities count certificates: the public suffix and one label. */
    registered_domain: string;
    project_id: string;
    domain_id: string;
    /** 1: a renewal. */
    is_renewal: number;
    /** 1: no limit of the authority counts it: it replaces a certificate as the authority asks for (RFC 9773). */
    is_exempt: Generated<number>;
    at: number;
    /** null until the authority has responded. */
    order_url: string | null;
    /** `ended`: without a certificate and without a failure, as when the domain was removed meanwhile. */
    state: 'open' | 'issued' | 'failed' | 'ended';
    ended_at: number | null;
  };

  /** The account at each directory. */
  acme_accounts: {
    directory_url: string;
    account_url: string | null;
    sealed_key: string;
    /** JSON: the directory's last meta information (its caaIdentities, for instance). */
    directory: string;
    created_at: number;
    /** The authority is not asked before, for any name, where there is another; null: it may be asked. */
    paused_until: number | null;
    /** JSON: the Problem of certificates/problem.ts that paused it. */
    problem: string | null;
  };

  /** The challenges of open orders, to which every edge responds. */
  acme_challenges: {
    hostname: string;
    /** The claim whose order it belongs to. */
    domain_id: string;
    type: 'http-01' | 'tls-alpn-01' | 'dns-01';
    token: string;
    key_authorization: string;
    created_at: number;
  };
}
