import { instant, instantOrNull } from '../../schema-types.ts';
import type { PasskeyRow } from '../../store/passkeys.ts';
import type { Db } from '../../store/schema.ts';
import type { PendingSignIn } from '../account.ts';
import type { Passkey } from './factor.ts';
import { factorsOf } from './factors.ts';
import type { RelyingParty } from './relying-party.ts';
import type { PendingSignIn as Pending } from './sign-in.ts';

export function presentPasskey(row: PasskeyRow, relyingParty: RelyingParty | undefined): Passkey {
  return {
    id: row.id,
    name: row.name,
    isSynced: row.backup_eligible === 1,
    isBackedUp: row.backed_up === 1,
    host: row.rp_id,
    isUsable: row.rp_id === relyingParty?.id,
    createdAt: instant(row.created_at),
    lastUsedAt: instantOrNull(row.last_used_at),
    refusedAt: instantOrNull(row.counter_refused_at),
  };
}

/** What is asked of a browser whose sign-in is under way. */
export async function presentPending(
  db: Db,
  { pending, user }: Pending,
  relyingParty: RelyingParty | undefined,
): Promise<PendingSignIn> {
  const { passkeys, app, recoveryCodes } = await factorsOf(db, user.id);
  const ways: PendingSignIn['ways'] = [];
  if (passkeys.some(({ rp_id }) => rp_id === relyingParty?.id)) ways.push('passkey');
  if (app) ways.push('code');
  if (recoveryCodes && recoveryCodes.left > 0) ways.push('recovery_code');
  return {
    next: pending.next,
    ways: pending.next === 'second_factor' ? ways : [],
    email: user.email,
    passkeys: relyingParty !== undefined,
    expiresAt: instant(pending.expires_at),
  };
}
