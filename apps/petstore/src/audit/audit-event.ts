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
