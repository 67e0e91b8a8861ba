/** A repository on another machine, and what opens it. */
export interface Repository {
  /** `https://host[:port]/path` or `ssh://user@host[:port]/path`, as `parseRepositoryUrl` gives it. */
  readonly url: string;
  readonly credentials: Credentials | null;
  /**
   * The keys by which the host is known, as `hostKeys` of an earlier call returned them. Empty: what the host shows is
   * taken, and returned to be kept. Of https none.
   */
  readonly hostKeys: readonly string[];
}

/** A token is for https, a key for ssh. */
export type Credentials =
  | { readonly kind: 'token'; readonly username: string | null; readonly token: string }
  | { readonly kind: 'key'; readonly privateKey: string };

/** What whoever runs the program decides. */
export interface GitSettings {
  /** The program, as a path or by its name in PATH: `git`. */
  readonly git: string;
  /** Whether a repository may be in a private network. */
  readonly allowPrivateAddresses: boolean;
  /** As `ip:port`; none: the system's. */
  readonly dnsServers: readonly string[];
  /** A PEM file of authorities that are trusted besides the system's. */
  readonly caFile: string | null;
  /**
   * A folder for temporary files. Each call removes its own, but none is left to do so when the process is killed:
   * whoever gives it empties it then.
   */
  readonly directory: string;
}
