import type { Counts } from './responder.ts';
import type { Rate } from './response-rate.ts';
import type { Zone } from './zone-record.ts';

/** What the thread of a name server is started with. */
export interface ThreadOptions {
  readonly hosts: readonly string[];
  readonly port: number;
  readonly rate: Rate;
  readonly zone: Zone;
}

export type ToThread = { readonly kind: 'zone'; readonly zone: Zone } | { readonly kind: 'close' };

export type FromThread =
  | { readonly kind: 'listening'; readonly port: number }
  /** It cannot listen on `host`. */
  | {
      readonly kind: 'failed';
      readonly code: string | undefined;
      readonly message: string;
      readonly host: string;
    }
  | { readonly kind: 'counts'; readonly counts: Counts };
