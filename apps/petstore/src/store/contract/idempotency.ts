import type { Written } from './written.ts';

/**
 * A write that happens once, however often it is requested. Its result, or a rule's refusal, is kept in the transaction
 * of the write itself. Whoever sends the same key again gets that result, also from another process.
 *
 * Beside the refusals of rules there are two: `idempotency_mismatch` where the key belongs to another request, and
 * `idempotency_conflict` while another request with the key has not ended. These are not kept.
 */
export interface Idempotency {
  /** The owner of the key: the same key of another owner is a different one. */
  readonly owner: string;
  /** 1 to 255 visible ASCII characters. */
  readonly key: string;
  /** The SHA-256 of everything that identifies the request, in base64. */
  readonly fingerprint: string;
  readonly at: Date;
  /** Results that were kept before this instant do not count. */
  readonly since: Date;
  /** The absolute URL of the collection. It is kept with the result, for the `Location` of a repeated response. */
  readonly collectionUrl: string;
}

/** The result of an idempotent write, and of any create; `collectionUrl` as it was the first time. */
export type IdempotentResult = Written & Pick<Idempotency, 'collectionUrl'>;

/** The kept results of idempotent writes. Each call does a bounded piece of work. */
export interface IdempotentResultStore {
  /** Deletes up to `count` results that were kept before an instant, the oldest first. Returns how many. */
  deleteBefore(instant: Date, count: number): Promise<number>;
  /**
   * The place of the newest of an owner's results that is not among the newest `kept`; undefined where there is none. It
   * counts them, so it takes longer the more are kept.
   */
  placeBeyond(owner: string, kept: number): Promise<bigint | undefined>;
  /** Deletes up to `count` of an owner's results up to a place, the oldest first. Returns how many. */
  deleteUpTo(owner: string, place: bigint, count: number): Promise<number>;
}
