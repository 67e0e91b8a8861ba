/** A certificate authority on loopback: pebble, or the one in this process. */
export interface LabAuthority {
  /** ACME_DIRECTORY_URL */
  readonly directoryUrl: string;
  /** A file with the root by which its own address is trusted: ACME_CA_FILE. */
  readonly caFile: string;
  /** The root of what it issues, in PEM. */
  readonly rootPem: string;
  close(): Promise<void>;
}

export interface LabAuthorityOptions {
  /** Where HTTP-01 is looked for, in the place of port 80. */
  readonly httpPort: number;
  /** Where TLS-ALPN-01 is looked for, in the place of port 443. */
  readonly tlsPort: number;
  /** The name server that names are looked up with, as `ip:port`. */
  readonly nameServer: string;
  /** How long certificates are good for, in milliseconds; 90 days where it is left out. */
  readonly certificateLifetimeMs?: number;
}
