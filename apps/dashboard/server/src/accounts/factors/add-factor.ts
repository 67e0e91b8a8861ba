import { conflict } from '../../api-error.ts';
import type { Actor } from '../../audit/actor.ts';
import { writeAudit } from '../../store/audit.ts';
import { putAuthenticatorApp } from '../../store/authenticator-apps.ts';
import { findPasskeyByCredential, insertPasskey, listPasskeys } from '../../store/passkeys.ts';
import { countRecoveryCodes } from '../../store/recovery-codes.ts';
import type { Trx } from '../../store/schema.ts';
import type { UserRow } from '../../store/users.ts';
import type { Sender } from '../account-emails.ts';
import type { Email } from '../account-mail.ts';
import { randomId } from '../secrets.ts';
import { appSetEmail, passkeyAddedEmail } from './factor-emails.ts';
import { makeRecoveryCodes } from './recovery-codes.ts';
import type { NewPasskey } from './webauthn.ts';

/** More than anybody has devices; a browser is sent all of them. */
const MAX_PASSKEYS = 25;

/** What a transaction adds a factor to: a locked user. */
export interface Addition {
  readonly trx: Trx;
  readonly at: number;
  readonly user: UserRow;
  readonly actor: Actor;
}

/** What came with a factor. */
export interface Added {
  /** Those that are made with a user's first factor; null: they have some. */
  readonly recoveryCodes: string[] | null;
  /** For the user, once it is stored. */
  readonly email: (sender: Sender) => Email;
}

/** Adds a passkey. Throws ApiError `conflict` where the passkey is there already, or there are too many. */
export async function addPasskey(addition: Addition, made: NewPasskey): Promise<Added> {
  const { trx, at, user, actor } = addition;
  if (await findPasskeyByCredential(trx, made.credential_id)) {
    throw conflict('This passkey was added already.');
  }
  const others = await listPasskeys(trx, user.id);
  if (others.length >= MAX_PASSKEYS) {
    throw conflict(`An account has at most ${MAX_PASSKEYS} passkeys. Remove one first.`);
  }
  const name = unusedName(
    made.name,
    others.map((other) => other.name),
  );
  const told = { email: user.email, ip: actor.ip };
  const rest = { created_at: at, last_used_at: null, counter_refused_at: null };
  const id = `pky_${randomId(16)}`;
  await insertPasskey(trx, { ...made, ...rest, id, user_id: user.id, name });
  await writeAudit(trx, at, actor, {
    action: 'passkey.add',
    target: name,
    details: { id, user: user.email },
  });
  return {
    recoveryCodes: await firstRecoveryCodes(addition),
    email: (sender) => passkeyAddedEmail(told, name, sender),
  };
}

/** Makes an authenticator app the user's, in place of an earlier one. `step`: of the code that showed that it works. */
export async function addAuthenticatorApp(
  addition: Addition,
  { sealedSecret, step }: { readonly sealedSecret: string; readonly step: number },
): Promise<Added> {
  const { trx, at, user, actor } = addition;
  const told = { email: user.email, ip: actor.ip };
  const isReplaced = await putAuthenticatorApp(trx, {
    user_id: user.id,
    sealed_secret: sealedSecret,
    last_step: step,
    created_at: at,
    last_used_at: null,
  });
  await writeAudit(trx, at, actor, {
    action: 'authenticator.add',
    target: user.email,
    details: { replaced: isReplaced },
  });
  return {
    recoveryCodes: await firstRecoveryCodes(addition),
    email: (sender) => appSetEmail(told, { isReplaced }, sender),
  };
}

async function firstRecoveryCodes({ trx, at, user }: Addition): Promise<string[] | null> {
  const has = await countRecoveryCodes(trx, user.id);
  return has ? null : makeRecoveryCodes(trx, user.id, at);
}

/** `Passkey`, `Passkey 2`, …: whichever nobody else of the list is called. */
function unusedName(name: string, taken: readonly string[]): string {
  for (let number = 2, next = name; ; number++) {
    if (!taken.includes(next)) return next;
    next = `${name} ${number}`;
  }
}
