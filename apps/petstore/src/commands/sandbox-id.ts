import { UserError } from '@petstore/service/user-error.ts';
import { hashKey, looksLikeKey } from '../keys/key.ts';
import type { SandboxRows } from '../store/contract/sandbox-rows.ts';

export const SANDBOX_ID_TEXT = 'id of the sandbox, as `petstore sandbox list` shows it, or its key';

/** The id of a sandbox, given its id or its key. Throws UserError where there is none. */
export async function sandboxIdOf(rows: SandboxRows, idOrKey: string): Promise<string> {
  const found = looksLikeKey(idOrKey)
    ? await rows.findByKey(hashKey(idOrKey))
    : await rows.get(idOrKey);
  if (!found) throw noSandbox();
  return found.id;
}

/** Does not repeat what was given: it may be a key. */
export function noSandbox(): UserError {
  return new UserError('There is no such sandbox. `petstore sandbox list` shows the ids.');
}
