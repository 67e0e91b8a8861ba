/** What one check may cost. A name with everything wrong needs a tenth of either. */
const MAX_QUESTIONS = 600;
const MAX_BYTES = 524_288;

/** Others decide how much a check asks and reads: what their names lead to, and their answers. */
export interface Allowance {
  /** Counts a question; false: there have been too many. */
  mayAsk(): boolean;
  /** Counts the bytes of an answer; false: there have been too many. */
  mayRead(bytes: number): boolean;
}

/** The allowance of one check. */
export function checkAllowance(): Allowance {
  let questions = 0;
  let read = 0;
  return {
    mayAsk() {
      questions += 1;
      return questions <= MAX_QUESTIONS;
    },
    mayRead(bytes) {
      read += bytes;
      return read <= MAX_BYTES;
    },
  };
}
