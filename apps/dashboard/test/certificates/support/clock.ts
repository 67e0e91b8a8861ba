export interface Clock {
  readonly now: () => number;
  forward(ms: number): void;
  /** Puts it forward to an instant, unless that is past. */
  to(at: number): void;
}

/** A clock that can be put forward. */
export function clock(): Clock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    forward(ms) {
      ahead += ms;
    },
    to(at) {
      ahead += Math.max(0, at - (Date.now() + ahead));
    },
  };
}
