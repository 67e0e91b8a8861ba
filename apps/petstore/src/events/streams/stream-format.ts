import { eventJson, type StoredEvent } from '../event.ts';

/** How a stream of events is written. */
export interface StreamFormat {
  readonly mediaType: string;
  /** What it begins with. */
  readonly preamble: string;
  readonly heartbeat: string;
  /** Says that it begins after an event, without being one. */
  position(id: bigint): string;
  write(event: StoredEvent): string;
}

/** How long a client of server-sent events waits before it connects anew, in milliseconds. */
const RETRY_MS = 1_000;

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
export const SERVER_SENT_EVENTS: StreamFormat = {
  mediaType: 'text/event-stream',
  preamble: `retry: ${RETRY_MS}\n\n`,
  heartbeat: ': still here\n\n',
  position: (id) => `id: ${id}\n\n`,
  write: (event) => `id: ${event.id}\nevent: ${event.type}\ndata: ${eventJson(event)}\n\n`,
};

/** https://jsonlines.org; readers pass over the empty lines. */
export const JSON_LINES: StreamFormat = {
  mediaType: 'application/jsonl',
  preamble: '',
  heartbeat: '\n',
  position: () => '',
  write: (event) => `${eventJson(event)}\n`,
};
