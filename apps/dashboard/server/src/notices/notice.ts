/** What people and programs outside are told of. One that is retired is never reused. */
export const NOTICE_TYPES = [
  'domain.verified',
  'domain.certificate_issued',
  'domain.certificate_failed',
  'domain.certificate_expiring',
  'domain.moved_away',
  'domain.claimed_elsewhere',
  'domain.lost',
  'domain.removed',
] as const;

export type NoticeType = (typeof NOTICE_TYPES)[number];

/** What happened, for whoever is told. */
export interface Notice {
  readonly type: NoticeType;
  readonly projectId: string;
  readonly hostname: string;
  /** A sentence for people; it ends with what to do, where something is to be done. */
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The body of a webhook, and what an e-mail is written from. */
export interface Payload {
  readonly type: NoticeType;
  /** When it happened, as RFC 3339 text in UTC. */
  readonly timestamp: string;
  readonly data: {
    /** The project's slug. */
    readonly project: string;
    readonly hostname: string;
    readonly message: string;
    readonly [detail: string]: unknown;
  };
}
