import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';
import type { MailConfig } from '../config-values.ts';
import { createMailer } from '../notices/mailer.ts';
import { newMessageId } from '../notices/queue-notice.ts';

const MINUTE_MS = 60_000;

/** How long to wait before each try. Servers that do not know a sender yet often want a second one. */
const TRIES_AFTER_MS = [0, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS];

/** An e-mail about an account. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/**
 * Mails what is for one person alone, such as a link with a secret. Letters are kept in memory, and neither stored nor
 * logged: those that are not out when the process ends are lost, and whoever misses one asks again.
 */
export interface AccountMail {
  /** Hands a letter to the mail server. Returns why that failed; undefined where it did not. */
  send(letter: Letter): Promise<string | undefined>;
  /**
   * Does what may take long, or would tell a stranger by its time what it found, after the response; and sends the
   * letters that it returns, with more tries where one fails.
   */
  sendLater(write: () => Promise<readonly Letter[]>): void;
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

  const handIn = (id: string, letter: Letter) =>
    mailer.send({ id, at: now(), ...letter }, stopping.signal);

  async function sendWithRetries(letter: Letter): Promise<void> {
    const id = newMessageId();
    for (const waitMs of TRIES_AFTER_MS) {
      await sleep(waitMs, undefined, { signal: stopping.signal, ref: false });
      const { error, isFinal } = await handIn(id, letter);
      if (error === null) return;
      log.warn(
        { messageId: id, to: letter.to, error },
        'a letter about an account is not sent yet',
      );
      if (isFinal) return;
    }
  }

  return {
    async send(letter) {
      const { error } = await handIn(newMessageId(), letter);
      return error ?? undefined;
    },
    sendLater(write) {
      const work = (async () => {
        try {
          await Promise.all((await write()).map(sendWithRetries));
        } catch (error) {
          if (!stopping.signal.aborted) log.error({ err: error }, 'a letter cannot be sent');
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
