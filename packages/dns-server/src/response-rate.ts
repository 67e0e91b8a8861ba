import { clientNetwork } from '@petstore/http/networks.ts';
import { LRUCache } from 'lru-cache';

/** Networks that are counted; of more, those that were not seen for longest are forgotten. */
const MAX_COUNTED = 20_000;

/** Of the responses that are too many, each second one is sent truncated: a client that is real asks over TCP. */
const SLIP = 2;

export interface Rate {
  /** Responses a second to one network; 0: any number. */
  readonly perSecond: number;
  /** After a pause, so many at once. */
  readonly burst: number;
}

/** `slip`: a truncated response, which is no longer than the query. `drop`: none. */
export type Allowance = 'answer' | 'slip' | 'drop';

/**
 * Limits the responses over UDP to one network. Whoever sends queries with the address of a victim has this server
 * flood it otherwise. `now`: milliseconds.
 */
export function limitResponses({ perSecond, burst }: Rate, now: () => number) {
  const counted = new LRUCache<string, { left: number; at: number; slipped: number }>({
    max: MAX_COUNTED,
  });
  return (address: string): Allowance => {
    if (perSecond === 0) return 'answer';
    const network = networkOf(address);
    const at = now();
    let bucket = counted.get(network);
    if (!bucket) {
      bucket = { left: burst, at, slipped: 0 };
      counted.set(network, bucket);
    }
    // A clock that was put back takes nothing away.
    const passed = Math.max(0, at - bucket.at);
    bucket.left = Math.min(burst, bucket.left + (passed / 1_000) * perSecond);
    bucket.at = at;
    if (bucket.left >= 1) {
      bucket.left -= 1;
      return 'answer';
    }
    bucket.slipped = (bucket.slipped + 1) % SLIP;
    return bucket.slipped === 0 ? 'slip' : 'drop';
  };
}

/**
 * The /24 of an IPv4 address, and the /56 of an IPv6 address: networks in which one sender may choose addresses. An IPv4
 * address that came over an IPv6 socket is its own.
 */
function networkOf(address: string): string {
  const v4 = address.startsWith('::ffff:') ? address.slice(7) : address;
  if (v4.includes('.')) return v4.slice(0, v4.lastIndexOf('.'));
  // A /64, whose fourth group has the last eight bits of a /56.
  const groups = clientNetwork(address).split(':').slice(0, 4);
  const fourth = Number.parseInt(groups[3] ?? '0', 16) & 0xff00;
  return [...groups.slice(0, 3), fourth.toString(16)].join(':');
}
