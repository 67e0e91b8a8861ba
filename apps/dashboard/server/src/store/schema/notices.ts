import type { Generated } from 'kysely';

export interface NoticeTables {
  webhooks: {
    id: string;
    project_id: string;
    url: string;
    /** `whsec_…`, sealed. */
    sealed_secret: string;
    /** JSON: EventType[] of notices/event-types.ts. */
    events: Generated<string>;
    created_at: number;
    created_by_email: string;
    /** Set when it was disabled after too many failures. */
    disabled_at: number | null;
    /** JSON of the last delivery: {at, status, error}; null before the first. */
    last_delivery: string | null;
  };

  /** Outgoing e-mails and webhook deliveries, inserted in the transaction of their event (a transactional outbox). */
  notices: {
    id: string;
    /** EventType of notices/event-types.ts, or `webhook.test`. */
    type: string;
    project_id: string;
    /** null: an e-mail. */
    webhook_id: string | null;
    /** null: a webhook. */
    email: string | null;
    /** JSON: the webhook's body, from which an e-mail is written, too. */
    payload: string;
    created_at: number;
    attempts: number;
    next_attempt_at: number | null;
    delivered_at: number | null;
    last_error: string | null;
    leased_until: number | null;
  };

  /** What receivers of webhooks responded: an attempt each. */
  webhook_attempts: {
    id: Generated<number>;
    notice_id: string;
    /** When it began. */
    at: number;
    duration_ms: number;
    /** Of the response; null where there was none. */
    status: number | null;
    /** A sentence for people; null: it was delivered. */
    error: string | null;
    /** The beginning of the response's body. */
    response: string;
  };
}
