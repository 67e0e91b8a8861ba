import type { Generated } from 'kysely';

export interface AuditTables {
  audit_log: {
    id: Generated<number>;
    at: number;
    /** null: the operator on the command line, or the system. */
    actor_id: string | null;
    /** For people, and kept when the account goes: an address, `operator`, `system`. */
    actor: string;
    /** How they were authenticated: a session, a token, the command line. */
    via: 'session' | 'token' | 'command' | 'system' | 'none';
    ip: string;
    /** Their API token; kept, with its name, when the token is deleted. */
    token_id: string | null;
    token_name: string | null;
    /** Such as `project.create`. */
    action: string;
    project_id: string | null;
    /** The object of the action, for people. */
    target: string;
    /** JSON. */
    details: string;
    /** When a syslog receiver had it; null: not yet. */
    forwarded_at: Generated<number | null>;
  };

  /** One row: which process sends the audit log to the syslog receiver. */
  audit_forwarding: { id: 1; leased_by: string | null; leased_until: number | null };
}
