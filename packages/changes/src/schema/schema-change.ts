import type { At } from '../api-document.ts';
import type { Direction, Effect, OtherCode, SchemaFact } from '../rules.ts';
import { isEqual } from '../sameness.ts';
import type { Conjunction, SchemaView, SchemaViews } from './schema-view.ts';

/** Something that differs between two schemas. */
export interface SchemaChange {
  readonly fact: SchemaFact;
  /** Which part of the schema it is of: `.name` for a property; empty for itself. */
  readonly step?: string;
  readonly old: At | null;
  readonly new: At | null;
  /** Values for the sentence, where they are not those of `old` and `new`. */
  readonly said?: { readonly old?: unknown; readonly new?: unknown; readonly name?: string };
  /** What was removed, which may have been deprecated. */
  readonly gone?: SchemaView;
}

/** A change of what is said of a schema, and not of what it allows. */
export interface NoteChange {
  readonly code: OtherCode;
  readonly old: At | null;
  readonly new: At | null;
  readonly said?: { readonly old?: unknown; readonly new?: unknown; readonly name?: string };
}

/** Two schemas that were compared: what differs between them, and the schemas in them. */
export interface SchemaNode {
  readonly changes: SchemaChange[];
  readonly notes: NoteChange[];
  readonly children: { readonly step: string; readonly node: SchemaNode }[];
}

/** How the values of schemas travel. */
export interface Mode {
  readonly direction: Direction;
  /** As `text`, in which a number is text too: in parameters. Names and places in `xml` are part of it alone. */
  readonly form: 'text' | 'xml' | 'other';
}

/** What compares schemas, for those that compare a part of them. */
export interface SchemaPairs {
  readonly old: SchemaViews;
  readonly new: SchemaViews;
  /** Compares two schemas, and all in them. */
  compare(old: Conjunction, now: Conjunction, mode: Mode): SchemaNode;
  /** What the changes in a node and all below it do to the values that are allowed. */
  effect(node: SchemaNode): Effect;
  /** Whether nothing can have changed, as far as a look at the text tells. */
  isSame(old: Conjunction, now: Conjunction): boolean;
  /** Whether two schemas allow the same values, and no property was added or removed. */
  isSameMeaning(old: Conjunction, now: Conjunction, mode: Mode): boolean;
}

/** Has a schema compared that is in both: a property, an item, a variant. `step`: the way to it. */
export type Child = (step: string, old: Conjunction, now: Conjunction) => void;

/** Whether two values that may be missing are equal. */
export const isEqualAt = (old: At | undefined, now: At | undefined): boolean =>
  old === undefined || now === undefined ? old === now : isEqual(old.value, now.value);
