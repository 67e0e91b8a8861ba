/** A value as finished JSON text. Databases write int64 exactly and much faster than objects could. */
export type JsonText = string;

/** What was created or changed, and its new state. */
export interface Written {
  readonly id: bigint;
  readonly json: JsonText;
}
