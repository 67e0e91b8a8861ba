import { isPrintable } from '../../accounts/account-input.ts';
import { invalidRequest } from '../../api-error.ts';

const MAX_LENGTH = 500;

/** Why a deploy may break clients, as it was given; undefined where it was not. Throws ApiError for no such text. */
export function readReason(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const reason = given.trim();
  if (isPrintable(reason, MAX_LENGTH)) return reason;
  throw invalidRequest(
    `allow-breaking must be the reason, 1 to ${MAX_LENGTH} characters on one line, such as Agreed with all who use it; got ${[...reason].length} characters.`,
  );
}
