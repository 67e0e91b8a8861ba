import type { Code, Verdict } from './rules.ts';

/** One side of a change. */
export interface Side {
  /** By its path, as the document was read. */
  readonly file: string;
  /** 1 for the first; null where none is known. */
  readonly line: number | null;
  /** A JSON pointer into the file. */
  readonly pointer: string;
  /** What is there; absent where it is an object or list of more than 1,000 letters. */
  readonly value?: unknown;
}

/** Why a change counts as compatible although its rule says otherwise. */
export interface Allowance {
  readonly by: 'sunset' | 'stability' | 'exception';
  /** `beta`, the day, or the exception's reason. */
  readonly reason: string;
}

export interface Change {
  readonly code: Code;
  readonly verdict: Verdict;
  /** `GET /pets`, of a webhook `POST newPet`; null where it is of the whole document. */
  readonly operation: string | null;
  /** A sentence for people. */
  readonly message: string;
  /** null where there was nothing. */
  readonly old: Side | null;
  /** null where nothing is left. */
  readonly new: Side | null;
  /** Present where the change may be made all the same. */
  readonly allowed?: Allowance;
}

export interface ChangeList {
  readonly summary: Readonly<Record<Verdict, number>>;
  /** The gravest first, then in the order of the new document. */
  readonly changes: readonly Change[];
}
