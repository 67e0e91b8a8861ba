import { INT64_MEMBERS } from './generated/int64-members.ts';

/**
 * Reads JSON with every digit: members that the document calls int64 become bigints, all other numbers
 * stay numbers. Throws SyntaxError.
 */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (name, value, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined && INT64_MEMBERS.has(name)
      ? BigInt(source)
      : value,
  );
}

/** Writes JSON with every digit of its bigints. */
export function stringifyExact(value: unknown): string {
  return JSON.stringify(value, (_name, member) =>
    typeof member === 'bigint' ? JSON.rawJSON(`${member}`) : member,
  );
}
