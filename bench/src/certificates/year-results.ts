/** What `npm run bench:certificates` keeps. */
export interface YearResults {
  readonly commit: string;
  readonly date: string;
  readonly names: number;
  /** The day on which the simulated year starts. */
  readonly start: string;
  readonly issued: number;
  /** The most names without a valid certificate at any time. */
  readonly without: number;
  /** The least time that a certificate had left, in hours. */
  readonly leastLeftHours: number;
  readonly authorities: readonly {
    readonly name: string;
    readonly issued: number;
    /** How often a limit was reached: the budgets were crossed. */
    readonly crossed: number;
    /** The most orders in three hours that are not exempt; 300 are allowed. */
    readonly mostOrders: number;
    readonly validations: number;
    readonly revoked: number;
    /** Between the word and the order, in minutes. */
    readonly longestRevokedMinutes: number;
  }[];
  /** Certificates by authority and day. */
  readonly days: readonly (readonly number[])[];
  /** Days with a failure, by authority. */
  readonly failures: readonly (readonly number[])[];
}
