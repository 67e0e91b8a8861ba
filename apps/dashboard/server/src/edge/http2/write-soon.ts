/** Something whose writes are gathered. */
interface Writer {
  flush(): void;
}

let waiting = new Set<Writer>();

/**
 * Flushes it at the end of this turn of the event loop, with all others: to wake up a sleeping client costs as much as
 * the rest of its response, so all clients are woken up together, each with all of its responses.
 */
export function writeSoon(writer: Writer): void {
  if (waiting.size === 0) setImmediate(flushAll);
  waiting.add(writer);
}

function flushAll(): void {
  const batch = waiting;
  waiting = new Set();
  for (const writer of batch) writer.flush();
}
