import { isPrivateHost } from '@petstore/http/reachable-addresses.ts';
import type { DeliveryOutcome } from '@petstore/webhooks/delivery-outcome.ts';
import type { NodemailerError } from 'nodemailer';
import type { MailConfig } from '../config-values.ts';

/** The timeouts of each step with the mail server, and of a whole e-mail, in milliseconds. */
const STEP_TIMEOUT_MS = 10_000;
const EMAIL_TIMEOUT_MS = 45_000;

interface Email {
  /** The same at each attempt, so that a mail program shows it once. */
  readonly id: string;
  readonly to: string;
  readonly at: number;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Hands an e-mail to the mail server; rejects when `stop` comes before the end. */
  send(email: Email, stop: AbortSignal): Promise<DeliveryOutcome>;
}

/** Sends e-mails through the configured mail server, on a connection for each. */
export function createMailer({ smtpUrl, from }: MailConfig): Mailer {
  const { hostname, username } = new URL(smtpUrl);
  const options = {
    // Options in the URL's query override those below.
    url: smtpUrl,
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
    dnsTimeout: STEP_TIMEOUT_MS,
    // Otherwise an attacker in between could get the password by pretending that there is no TLS.
    requireTLS: smtpUrl.startsWith('smtp:') && username !== '' && !isPrivateHost(hostname),
  };
  return {
    async send({ id, to, at, subject, text }, stop) {
      try {
        // Loaded for the first e-mail: it is large, and many installations have no mail server.
        const { createTransport } = await import('nodemailer');
        await createTransport(options).sendMail({
          from,
          // An object: a text would be parsed as a list of addresses.
          to: { name: '', address: to },
          subject,
          text,
          date: new Date(at),
          messageId: `<${id}@${domainOf(from)}>`,
          // RFC 3834: no automatic replies to this.
          headers: { 'auto-submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: AbortSignal.any([stop, AbortSignal.timeout(EMAIL_TIMEOUT_MS)]),
        });
        return { status: null, error: null };
      } catch (error) {
        if (stop.aborted) throw error;
        return outcomeOf(error as NodemailerError);
      }
    },
  };
}

/** RFC 5321, section 4.2.1: 5yz is permanent. An error of the configuration, such as a wrong password, is not. */
function outcomeOf({ code, responseCode, message }: NodemailerError): DeliveryOutcome {
  const isFinal = code === 'EENVELOPE' && responseCode !== undefined && responseCode >= 500;
  return { status: responseCode ?? null, error: `The mail server: ${message}`, isFinal };
}

/** The domain in `Name <name@example.com>`. */
function domainOf(from: string): string {
  return /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
}
