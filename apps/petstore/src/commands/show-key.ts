import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { NewKey } from '../keys/key.ts';

/**
 * Shows a key that was just stored, this once: behind a sentence for people, or as JSON with more members for scripts.
 * When the output cannot be written, it calls `undo`, which returns the end of a sentence, and throws UserError.
 */
export async function showKey(
  { key, record: { id, name, scopes, expiresAt } }: NewKey,
  form: string | Record<string, unknown>,
  undo: () => Promise<string>,
): Promise<void> {
  const text =
    typeof form === 'string'
      ? `${form}\nIt is shown this once:\n\n  ${key}\n`
      : JSON.stringify({ id, name, key, scopes, expiresAt: expiresAt ?? null, ...form });
  try {
    await print(text);
  } catch (cause) {
    throw new UserError(`The key could not be shown, so ${await undo()}.`, { cause });
  }
}
