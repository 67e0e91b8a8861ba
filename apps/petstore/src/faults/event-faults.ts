import type { Awaitable } from '../store/contract/awaitable.ts';
import { draw } from './draw.ts';
import type { EventFaults } from './fault-kinds.ts';
import { planOf } from './fault-plan.ts';
import { readRules, rulesFor } from './fault-rules.ts';

/** The name under which rules speak of deliveries to webhooks. */
export const DELIVERY = 'deliverEvent';

/** How often an event is told: usually once. */
export function timesToTell({ fault, rate, seed }: EventFaults, id: number): number {
  if (draw(seed, id, 'event') >= rate) return 1;
  return fault === 'lost' ? 0 : 2;
}

/** What happens to the delivery of an event. */
interface DeliveryFaults {
  /** How often it is sent: usually once. */
  readonly times: number;
  /** How long after the event it is sent at the earliest, in milliseconds. */
  readonly latencyMs: number;
}

/** What happens to an event on its way to a webhook of a sandbox, by the rules that the sandbox keeps. */
export async function deliveryFaults(
  faults: { rules(sandbox: string): Awaitable<string | undefined> },
  sandbox: string,
  id: number,
): Promise<DeliveryFaults> {
  const rules = rulesFor(readRules(await faults.rules(sandbox)), DELIVERY);
  for (const { groups, from, times: most = Number.POSITIVE_INFINITY } of rules) {
    if (id < from || id >= from + most) continue;
    const plan = planOf(groups, id);
    const times = plan?.events ? timesToTell(plan.events, id) : 1;
    const latencyMs = plan?.latencyMs ?? 0;
    if (times !== 1 || latencyMs > 0) return { times, latencyMs };
  }
  return { times: 1, latencyMs: 0 };
}

/** What a stream writes, with its faults. `text`: whole frames of server-sent events, or whole lines of JSON. */
export function changeStream(text: string, mediaType: string, faults: EventFaults): string {
  const isServerSent = mediaType.startsWith('text/event-stream');
  return text
    .split(isServerSent ? /(?<=\n\n)/ : /(?<=\n)/)
    .map((frame) => {
      const id = (isServerSent ? /^id: (\d+)$/m : /^\{"id":"(\d+)"/).exec(frame)?.[1];
      return id === undefined ? frame : frame.repeat(timesToTell(faults, Number(id)));
    })
    .join('');
}
