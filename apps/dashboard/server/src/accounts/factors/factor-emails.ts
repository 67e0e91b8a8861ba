import { accountEmail, type Sender } from '../account-emails.ts';
import type { Email } from '../account-mail.ts';

// The e-mails about second factors: whoever gets in by a stolen session cannot change them unnoticed.

/** Whom an e-mail goes to, and from where it was done. */
interface Told {
  readonly email: string;
  readonly ip: string;
}

const ifNotYou = ({ dashboard }: Sender, then: string) =>
  `If it was not you, ${then}: ${dashboard}/account/security`;

export function passkeyAddedEmail({ email, ip }: Told, name: string, sender: Sender): Email {
  return accountEmail(email, 'A passkey was added to your account', sender, [
    `The passkey “${name}” was added to the account ${email}, from ${ip}. Whoever holds it can sign in.`,
    ifNotYou(sender, 'remove it and change your password'),
  ]);
}

export function passkeyRemovedEmail({ email, ip }: Told, name: string, sender: Sender): Email {
  return accountEmail(email, 'A passkey was removed from your account', sender, [
    `The passkey “${name}” was removed from the account ${email}, from ${ip}.`,
    ifNotYou(sender, 'change your password now'),
  ]);
}

export function passkeyRefusedEmail({ email, ip }: Told, name: string, sender: Sender): Email {
  return accountEmail(email, `A copy of your passkey “${name}” may exist`, sender, [
    `The passkey “${name}” of the account ${email} was used from ${ip}, and was refused: its counter went back, which happens when there are two of it.`,
    `Remove this passkey, and add a new one: ${sender.dashboard}/account/security`,
  ]);
}

export function appSetEmail(
  { email, ip }: Told,
  { isReplaced }: { isReplaced: boolean },
  sender: Sender,
): Email {
  const subject = isReplaced
    ? 'Your authenticator app was replaced'
    : 'An authenticator app was added to your account';
  return accountEmail(email, subject, sender, [
    `An authenticator app was set up for the account ${email}, from ${ip}.${isReplaced ? ' The codes of the earlier one no longer work.' : ''}`,
    ifNotYou(sender, 'remove it and change your password'),
  ]);
}

export function appRemovedEmail({ email, ip }: Told, sender: Sender): Email {
  return accountEmail(email, 'Your authenticator app was removed', sender, [
    `The authenticator app of the account ${email} was removed, from ${ip}. Its codes no longer work.`,
    ifNotYou(sender, 'change your password now'),
  ]);
}

export function newRecoveryCodesEmail({ email, ip }: Told, sender: Sender): Email {
  return accountEmail(email, 'New recovery codes were made', sender, [
    `New recovery codes were made for the account ${email}, from ${ip}. The earlier ones no longer work.`,
    ifNotYou(sender, 'change your password now, and make new ones'),
  ]);
}

export function recoveryCodeUsedEmail({ email, ip }: Told, left: number, sender: Sender): Email {
  return accountEmail(email, 'A recovery code was used', sender, [
    `Someone, probably you, signed in to the account ${email} with a recovery code, from ${ip}. ${left} of your codes are left.`,
    ifNotYou(sender, 'change your password now, and make new codes'),
  ]);
}

export function codesGuessedEmail({ email, ip }: Told, tries: number, sender: Sender): Email {
  return accountEmail(email, 'Someone knows your password and tries codes', sender, [
    `Somebody entered the password of the account ${email}, and then ${tries} wrong codes, the last from ${ip}. They did not get in, and can try again in an hour at the earliest.`,
    ifNotYou(sender, 'change your password now'),
  ]);
}

export function factorsResetEmail(email: string, sender: Sender): Email {
  return accountEmail(email, 'The second factors of your account were removed', sender, [
    `Whoever runs this dashboard removed the passkeys, the authenticator app and the recovery codes of the account ${email}, and ended its sessions.`,
    'Set up a second factor again when you have signed in.',
    'If you did not ask for it, tell the owner of this installation.',
  ]);
}
