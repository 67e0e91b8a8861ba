/** The author of an action, for the audit log. */
export interface Actor {
  /** null: the operator at the command line, or the system itself. */
  readonly userId: string | null;
  /** For people: an e-mail address, `operator`, `repository` or `system`. */
  readonly name: string;
  readonly via: 'session' | 'token' | 'command' | 'system' | 'none';
  /** The IP address; empty for the command line and the system. */
  readonly ip: string;
  /** The API token of the request. */
  readonly token?: { readonly id: string; readonly name: string };
}

export const OPERATOR: Actor = { userId: null, name: 'operator', via: 'command', ip: '' };
/** What was pushed to the repository of a project. */
export const REPOSITORY: Actor = { userId: null, name: 'repository', via: 'system', ip: '' };
export const SYSTEM: Actor = { userId: null, name: 'system', via: 'system', ip: '' };
