import type { Awaitable } from '../store/store.ts';
import { draw } from './draw.ts';
import type { EventFaults } from './fault-kinds.ts';
import { readRules, rulesFor } from './fault-rules.ts';

/** The name under which rules speak of deliveries to webhooks. */
export const DELIVERY = 'deliverEvent';

/** How often an event is told: usually once. */
export function timesToTell({ fault, rate, seed }: EventFaults, id: number): number {
  if (draw(seed, id, 'event') >= rate) return 1;
  return fault === 'lost' ? 0 : 2;
}

/** How often an event is delivered to a webhook of a sandbox, by the rules that the sandbox keeps. */
export async function timesToDeliver(
  faults: { rules(sandbox: string): Awaitable<string | undefined> },
  sandbox: string,
  id: number,
): Promise<number> {
  const rules = rulesFor(readRules(await faults.rules(sandbox)), DELIVERY);
  for (const { groups, from, times = Number.POSITIVE_INFINITY } of rules) {
    if (id < from || id >= from + times) continue;
    for (const { events: fault, rate, seed } of groups) {
      const told = fault ? timesToTell({ fault, rate, seed }, id) : 1;
      if (told !== 1) return told;
    }
  }
  return 1;
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
