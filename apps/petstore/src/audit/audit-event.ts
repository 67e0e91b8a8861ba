import { hostname, userInfo } from 'node:os';

/** What was done, to which kind of thing: `key.created`, `pets.imported`. Never given another meaning. */
export type AuditAction = `${string}.${string}`;

/** A deed of somebody who runs the service. There is never a secret in it. */
export interface NewAuditEvent {
  readonly at: Date;
  readonly action: AuditAction;
  /** What it was done to: the id of a key, the name of a file. */
  readonly subject: string;
  /** What else there is to know, as JSON can say it. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The same as it was put on record. */
export interface AuditEvent extends NewAuditEvent {
  /** Grows with each event. */
  readonly id: number;
  /** Who: see systemActor. */
  readonly actor: string;
}

/** Who acts: the operating system's user and the host, as `ada@shop-1`. */
export function systemActor(): string {
  return `${userName()}@${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user that its /etc/passwd does not name.
    return `uid ${process.getuid?.()}`;
  }
}
