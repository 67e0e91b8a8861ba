import type { NodemailerError } from 'nodemailer';
import type { MailConfig } from '../config-values.ts';
import type { Outcome } from './outcome.ts';
import { isPrivateHost } from './receiver-address.ts';

/** For each step with the mail server, in milliseconds, and for a whole e-mail. */
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
  send(email: Email, stop: AbortSignal): Promise<Outcome>;
}

/** Speaks to the mail server that is configured, on a connection for each e-mail. */
export function createMailer({ smtpUrl, from }: MailConfig): Mailer {
  const { hostname, username } = new URL(smtpUrl);
  const options = {
    // What the URL's query says goes before what is said here.
    url: smtpUrl,
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
    dnsTimeout: STEP_TIMEOUT_MS,
    // Whoever is between would otherwise have the password by answering that there is no TLS.
    requireTLS: smtpUrl.startsWith('smtp:') && username !== '' && !isPrivateHost(hostname),
  };
  return {
    async send({ id, to, at, subject, text }, stop) {
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), EMAIL_TIMEOUT_MS);
      try {
        // Loaded for the first e-mail: it is large, and many installations have no mail server.
        const { createTransport } = await import('nodemailer');
        await createTransport(options).sendMail({
          from,
          // An object and no text: it is one address, whatever stands in it.
          to: { name: '', address: to },
          subject,
          text,
          date: new Date(at),
          messageId: `<${id}@${domainOf(from)}>`,
          // RFC 3834: no answers of absent people to this.
          headers: { 'auto-submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: AbortSignal.any([stop, deadline.signal]),
        });
        return { status: null, error: null };
      } catch (error) {
        if (stop.aborted) throw error;
        return outcomeOf(error as NodemailerError);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** RFC 5321, section 4.2.1: 5yz is for good; but what is wrong with us, such as a password, can be mended. */
function outcomeOf({ code, responseCode, message }: NodemailerError): Outcome {
  const isFinal = code === 'EENVELOPE' && responseCode !== undefined && responseCode >= 500;
  return { status: responseCode ?? null, error: `The mail server: ${message}`, isFinal };
}

/** What stands behind the @ of `Name <name@example.com>`. */
function domainOf(from: string): string {
  return /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
}
