import type { PetFields } from '../pets/pet.ts';
import { petJsonOf } from '../pets/pet-rules.ts';
import type { EventType, StoredEvent } from './event.ts';

// All events of one commit are stored as one text, with a line for each: its type, a space, its data as JSON, which has
// no line feed of its own. Animals are written by the hundred in one commit, and most of their text would be names of
// members. So theirs may be `pet.created 5 7 available "Rex"`: the id, the category's id, the status and the name. The
// line of the next id with the same type begins with the category's: `7 available "Max"`.

/** A group as the engines store it. */
export interface StoredGroup {
  readonly firstId: bigint;
  /** When it was committed, in milliseconds since 1970. */
  readonly at: number;
  readonly events: string;
}

type PetEventType = Extract<EventType, `pet.${string}`>;

/** What is noted so far. */
interface Noted {
  readonly text: string;
  readonly count: number;
  /** The type that the next line may leave out; undefined after a line that is not about an animal. */
  readonly type: PetEventType | undefined;
  readonly nextId: bigint;
}

const NOTHING: Noted = { text: '', count: 0, type: undefined, nextId: 0n };

/** The events of a transaction that is not committed yet. */
export class NotedEvents {
  #noted = NOTHING;
  #marked = NOTHING;

  get count(): number {
    return this.#noted.count;
  }

  get text(): string {
    return this.#noted.text;
  }

  /** Notes what happened to an animal: how it is, or was last. */
  notePet(type: PetEventType, id: bigint, { name, categoryId, status }: PetFields): void {
    const fields = `${categoryId} ${status} ${JSON.stringify(name)}`;
    const { type: last, nextId } = this.#noted;
    const line = type === last && id === nextId ? fields : `${type} ${id} ${fields}`;
    this.#add(line, type, id + 1n);
  }

  /** Notes what happened: `data` is the animal or order as JSON text. */
  note(type: EventType, data: string): void {
    this.#add(`${type} ${data}`, undefined, 0n);
  }

  #add(line: string, type: PetEventType | undefined, nextId: bigint): void {
    const { text, count } = this.#noted;
    this.#noted = { text: count === 0 ? line : `${text}\n${line}`, count: count + 1, type, nextId };
  }

  /** Remembers the events noted so far: `undo` goes back to here. */
  mark(): void {
    this.#marked = this.#noted;
  }

  /** Forgets what was noted since the mark. */
  undo(): void {
    this.#noted = this.#marked;
  }

  clear(): void {
    this.#noted = NOTHING;
  }
}

/** A line of an animal: its type and id, if it does not go on the line before, and its other members. */
const PET_LINE = /^(?:(pet\.[a-z]+) (-?\d+) )?(-?\d+) ([a-z]+) (".*)$/s;

/** The events of a group after an id, up to `limit`. */
export function eventsOf(
  { firstId, at, events }: StoredGroup,
  after: bigint,
  limit: number,
): StoredEvent[] {
  // What a restore leaves in place of the log: see store/sqlite/restored-events.ts.
  if (events === '') return [];
  const skipped = after < firstId ? 0 : Number(after - firstId) + 1;
  let type = '';
  let petId = 0n;
  const read = (line: string, place: number): StoredEvent => {
    const id = firstId + BigInt(place);
    const [, ownType, ownId, categoryId = '', status = '', name = ''] = PET_LINE.exec(line) ?? [];
    if (name === '') {
      const space = line.indexOf(' ');
      return { id, type: line.slice(0, space) as EventType, at, data: line.slice(space + 1) };
    }
    type = ownType ?? type;
    petId = ownId === undefined ? petId + 1n : BigInt(ownId);
    return { id, type: type as EventType, at, data: petJsonOf(petId, name, categoryId, status) };
  };
  return events
    .split('\n', skipped + limit)
    .map(read)
    .slice(skipped);
}
