import { hostname, userInfo } from 'node:os';

/** What was done, to which kind of thing: `key.created`, `pets.imported`. Never given another meaning. */
export type AuditAction = `${string}.${string}`;

/** An action of somebody who runs the service. It never holds a secret. */
export interface NewAuditEvent {
  readonly at: Date;
  readonly action: AuditAction;
  /** What it was done to: the id of a key, the name of a file. */
  readonly subject: string;
  /** More about it, as JSON values. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The same event as it was recorded. */
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
