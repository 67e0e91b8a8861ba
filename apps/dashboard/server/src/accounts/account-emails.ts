import type { Email } from './account-mail.ts';

// The e-mails about accounts. Their links have secrets: they are mailed, and never logged.

/** What every e-mail says of where it comes from. */
export interface Sender {
  /** The address of the dashboard. */
  readonly dashboard: string;
}

export function passwordLinkEmail(
  { email, link, expiresAt }: { email: string; link: string; expiresAt: number },
  sender: Sender,
): Email {
  return accountEmail(email, 'Set a new password', sender, [
    `Someone, probably you, wants a new password for the account ${email}. Set it here:`,
    link,
    `The link works once, until ${inWords(expiresAt)}.`,
    'If it was not you, do nothing: your password stays as it is.',
  ]);
}

/** `open`: what opens the account beside the password, each in a few words. */
export function passwordChangedEmail(
  { email, open }: { email: string; open: readonly string[] },
  sender: Sender,
): Email {
  return accountEmail(email, 'Your password was changed', sender, [
    `The password of the account ${email} was changed with a link that was made for it. All its sessions have ended.`,
    ...(open.length === 0
      ? []
      : [
          `These open it as before:\n${open.map((each) => `- ${each}`).join('\n')}`,
          `If another had the account, remove what you do not know: ${sender.dashboard}/account/security`,
        ]),
    'If it was not you, ask for another link on the sign-in page at once, and tell the owner of this installation.',
  ]);
}

export function confirmAddressEmail(
  { from, to, link, expiresAt }: { from: string; to: string; link: string; expiresAt: number },
  sender: Sender,
): Email {
  return accountEmail(to, 'Confirm your new e-mail address', sender, [
    `The account ${from} is to have this address. Confirm it here:`,
    link,
    `The link works once, until ${inWords(expiresAt)}. Until then the account keeps its old address.`,
    'If you know nothing of this, do nothing.',
  ]);
}

export function addressTakenEmail(
  { from, to }: { from: string; to: string },
  sender: Sender,
): Email {
  return accountEmail(to, 'This address has an account already', sender, [
    `The account ${from} was to have this address, but another account has it. Nothing was changed.`,
    'To use the address for that account, change the address of the other one first.',
  ]);
}

export function addressRequestedEmail(
  { from, to }: { from: string; to: string },
  sender: Sender,
): Email {
  return accountEmail(from, 'Your account is to have another address', sender, [
    `Someone, probably you, wants ${to} as the address of the account ${from}. It has it once that is confirmed there.`,
    'If it was not you, change your password: that ends this request and all your other sessions.',
  ]);
}

export function addressChangedEmail(
  { from, to }: { from: string; to: string },
  sender: Sender,
): Email {
  return accountEmail(from, 'Your account has another address', sender, [
    `The account that had this address has ${to} now. Sign in with that from now on.`,
    'If it was not you, tell the owner of this installation.',
  ]);
}

export function invitationEmail(
  {
    email,
    role,
    project,
    inviter,
    link,
    expiresAt,
  }: {
    email: string;
    role: string;
    project: string;
    inviter: string;
    link: string;
    expiresAt: number;
  },
  sender: Sender,
): Email {
  return accountEmail(email, `Join “${project}”`, sender, [
    `${inviter} invites you to the project “${project}”, as ${role === 'viewer' ? 'a viewer' : `an ${role}`}. Accept it here:`,
    link,
    `The link works once, for this address alone, until ${inWords(expiresAt)}.`,
    'If you do not know the sender, do nothing.',
  ]);
}

export function accountEmail(
  to: string,
  subject: string,
  { dashboard }: Sender,
  paragraphs: readonly string[],
): Email {
  const text = `${paragraphs.join('\n\n')}\n\n-- \nThis comes from the dashboard at\n${dashboard}\n`;
  return { to, subject, text };
}

const FORMAT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});

const inWords = (at: number) => `${FORMAT.format(at)} UTC`;
