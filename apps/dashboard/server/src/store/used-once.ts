import { isUniqueViolation } from './errors.ts';
import type { Db } from './schema.ts';

/** Uses a key up. Whether it was the first time; of two at once, one is. `expiresAt`: until then it is kept. */
export async function takeOnce(
  db: Db,
  key: string,
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<boolean> {
  await db.deleteFrom('used_once').where('expires_at', '<=', now).execute();
  try {
    await db.insertInto('used_once').values({ key, expires_at: expiresAt }).execute();
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}
