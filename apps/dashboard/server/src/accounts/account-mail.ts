import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';
import type { MailConfig } from '../config-values.ts';
import { createMailer } from '../notices/mailer.ts';
import { newMessageId } from '../notices/queue-notice.ts';

const MINUTE_MS = 60_000;

/** How long to wait before each try. Servers that do not know a sender yet often want a second one. */
const TRIES_AFTER_MS = [0, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS];

/** An e-mail about an account. */
export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/**
 * Mails what is for one person alone, such as a link with a secret. E-mails are kept in memory, and neither stored nor
 * logged: those that are not out when the process ends are lost, and whoever misses one asks again.
 */
export interface AccountMail {
  /** Hands an e-mail to the mail server. Returns why that failed; undefined where it did not. */
  send(email: Email): Promise<string | undefined>;
  /**
   * Does what may take long, or would tell a stranger by its time what it found, after the response; and sends the
   * e-mails that it returns, with more tries where one fails.
   */
  sendLater(write: () => Promise<readonly Email[]>): void;
  /** Ends what is under way. */
  close(): Promise<void>;
}

export function openAccountMail(
  config: MailConfig,
  { now, log }: { now: () => number; log: Log },
): AccountMail {
  const mailer = createMailer(config);
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();

  const handIn = (id: string, email: Email) =>
    mailer.send({ id, at: now(), ...email }, stopping.signal);

  async function sendWithRetries(email: Email): Promise<void> {
    const id = newMessageId();
    for (const [at, waitMs] of TRIES_AFTER_MS.entries()) {
      await sleep(waitMs, undefined, { signal: stopping.signal, ref: false });
      const { error, isFinal } = await handIn(id, email);
      if (error === null) return;
      const isLast = isFinal || at === TRIES_AFTER_MS.length - 1;
      const message = `an account e-mail was not sent${isLast ? '' : '; will retry'}`;
      log.warn({ messageId: id, to: email.to, error }, message);
      if (isLast) return;
    }
  }

  return {
    async send(email) {
      const { error } = await handIn(newMessageId(), email);
      return error ?? undefined;
    },
    sendLater(write) {
      const work = (async () => {
        try {
          await Promise.all((await write()).map(sendWithRetries));
        } catch (error) {
          if (!stopping.signal.aborted)
            log.error({ err: error }, 'an account e-mail could not be sent');
        }
      })();
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
    },
    async close() {
      stopping.abort();
      await Promise.all(underWay);
    },
  };
}
