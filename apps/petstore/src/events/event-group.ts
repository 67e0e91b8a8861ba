import type { EventType, StoredEvent } from './event.ts';

// All events of one commit are stored as one text, with a line for each: its type, a space, its data. JSON text has no
// line feed of its own.

/** A group as the engines store it. */
export interface StoredGroup {
  readonly firstId: bigint;
  /** When it was committed, in milliseconds since 1970. */
  readonly at: number;
  readonly events: string;
}

/** The events of a transaction that is not committed yet. */
export class NotedEvents {
  #text = '';
  #count = 0;
  #markedText = '';
  #markedCount = 0;

  get count(): number {
    return this.#count;
  }

  get text(): string {
    return this.#text;
  }

  /** Notes what happened: `data` is the animal or order as JSON text. */
  note(type: EventType, data: string): void {
    this.#text += this.#count === 0 ? `${type} ${data}` : `\n${type} ${data}`;
    this.#count++;
  }

  /** From here on `undo` forgets what is noted. */
  mark(): void {
    this.#markedText = this.#text;
    this.#markedCount = this.#count;
  }

  /** Forgets what was noted since the mark. */
  undo(): void {
    this.#text = this.#markedText;
    this.#count = this.#markedCount;
  }

  clear(): void {
    this.#text = '';
    this.#count = 0;
  }
}

/** The events of a group after an id, up to `limit`. */
export function eventsOf(
  { firstId, at, events }: StoredGroup,
  after: bigint,
  limit: number,
): StoredEvent[] {
  const lines = events.split('\n');
  const skipped = after < firstId ? 0 : Number(after - firstId) + 1;
  return lines.slice(skipped, skipped + limit).map((line, place) => {
    const space = line.indexOf(' ');
    return {
      id: firstId + BigInt(skipped + place),
      type: line.slice(0, space) as EventType,
      at,
      data: line.slice(space + 1),
    };
  });
}
