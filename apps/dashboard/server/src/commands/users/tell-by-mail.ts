import type { Sender } from '../../accounts/account-emails.ts';
import type { Email } from '../../accounts/account-mail.ts';
import { addressesOf } from '../../addresses.ts';
import type { Config } from '../../config.ts';

/** Sends an e-mail. Why it could not be sent; undefined where it was, or where there is no mail. */
export async function tellByMail(
  config: Config,
  email: (sender: Sender) => Email,
): Promise<string | undefined> {
  if (!config.mail) return undefined;
  // Loaded here: all commands on users would pay for what one with mail needs.
  const { pino } = await import('pino');
  const { openAccountMail } = await import('../../accounts/account-mail.ts');
  const mail = openAccountMail(config.mail, { now: Date.now, log: pino({ level: 'silent' }) });
  const ports = { dashboard: config.port, edge: 0, edgeHttps: 0 };
  return mail.send(email(addressesOf(config, ports)));
}
