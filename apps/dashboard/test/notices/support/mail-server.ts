import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: string[];
  /** Headers and text, as they came. */
  readonly data: string;
  /** Whether someone signed in before. */
  readonly user: string | undefined;
}

export interface MailServer {
  /** `smtp://USER@127.0.0.1:PORT`, with what stands before the host. */
  url(credentials?: string): string;
  readonly mails: ReceivedMail[];
  /** The commands that came. */
  readonly commands: string[];
  /** What it answers instead, by the first word of the command; `CONNECT` for the greeting. */
  readonly answers: Map<string, string>;
  /** What it says that it can do. */
  extensions: string[];
}

/** A mail server that speaks as much of RFC 5321 as a client that hands in mail asks for. */
export async function startMailServer(t: TestContext): Promise<MailServer> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => server.close());
  const { port } = server.address() as AddressInfo;
  const mail: MailServer = {
    url: (credentials = '') => `smtp://${credentials}127.0.0.1:${port}`,
    mails: [],
    commands: [],
    answers: new Map(),
    extensions: ['AUTH PLAIN LOGIN', '8BITMIME'],
  };
  server.on('connection', (socket) => {
    cleanUp(t, () => socket.destroy());
    socket.on('error', () => {});
    const say = (line: string) => socket.write(`${line}\r\n`);
    let [from, user, data]: (string | undefined)[] = [];
    let to: string[] = [];
    say(mail.answers.get('CONNECT') ?? '220 mail.example.com ESMTP');
    createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      if (data !== undefined) {
        if (line !== '.') data += `${line.replace(/^\.\./, '.')}\n`;
        else {
          mail.mails.push({ from: from ?? '', to, data, user });
          data = undefined;
          say('250 taken');
        }
        return;
      }
      mail.commands.push(line);
      const [verb = '', argument = '', rest = ''] = line.split(' ');
      const refusal = mail.answers.get(verb.toUpperCase());
      if (refusal !== undefined) return say(refusal);
      switch (verb.toUpperCase()) {
        case 'EHLO':
          for (const extension of mail.extensions) say(`250-${extension}`);
          return say('250 OK');
        case 'AUTH':
          user = Buffer.from(rest, 'base64').toString().split('\0').join(' ').trim();
          return say(argument === 'PLAIN' ? '235 welcome' : '504 not this way');
        case 'MAIL':
          [from, to] = [line.slice('MAIL FROM:'.length), []];
          return say('250 OK');
        case 'RCPT':
          to.push(line.slice('RCPT TO:'.length));
          return say('250 OK');
        case 'DATA':
          data = '';
          return say('354 go on');
        case 'QUIT':
          say('221 bye');
          return socket.end();
        default:
          return say('250 OK');
      }
    });
  });
  return mail;
}
