// Numbers of JSON that do not survive being read by JavaScript, through code that reads them.

export interface ExactNumbers {
  /** The JSON with small numbers in place of those. */
  readonly text: string;
  /** Whether one of them is an integer that JavaScript would send as another one. */
  readonly isBeyondFloats: boolean;
  /** A text that was made with the small numbers, with those that were meant. */
  restore(made: string): string;
}

/** Sixteen digits that JavaScript keeps and that nobody writes. */
const FIRST = 9007199254700000;
const MOST = 40_000;

/** Puts other numbers in place of `12345678901234567890` and `1.0`. */
export function exactNumbers(json: string): ExactNumbers {
  const meant: string[] = [];
  const text = json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => {
    if (token.startsWith('"') || String(Number(token)) === token || meant.length === MOST)
      return token;
    meant.push(token);
    return String(FIRST + meant.length - 1);
  });
  return {
    text,
    isBeyondFloats: meant.some((one) => /^-?\d+$/.test(one)),
    restore: (made) =>
      made.replace(/90071992547\d{5}/g, (found) => meant[Number(found) - FIRST] ?? found),
  };
}
