import type { SchemeData } from '../../src/request/operation-data.ts';
import { button, changed, element } from './dom.ts';
import { type Keys, keepKeys, keysOf } from './keys.ts';
import { readBytes } from './read-bytes.ts';
import { send } from './send.ts';

/** How long the API may take, in milliseconds. */
const TIME_LIMIT_MS = 20_000;

/** The longest wait of a browser's timer, in milliseconds. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/**
 * Gets a credential for a sandbox with one click, and says when it ends. `server`: the address of the chosen server.
 * `input`: the field that shows the credential.
 */
export function sandboxOffer(
  scheme: SchemeData,
  { path, credential, expiresAt }: NonNullable<SchemeData['sandbox']>,
  server: () => string,
  input: HTMLInputElement,
): HTMLElement {
  const status = element('span', { role: 'status' });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = (problem = '') => {
    clearTimeout(timer);
    const { isOurs, hasEnded, ends } = stateOf(keysOf(scheme));
    getter.textContent = isOurs ? 'Get a new sandbox' : 'Get a sandbox';
    getter.classList.toggle('try-strong', !isOurs || hasEnded);
    status.textContent = problem || wordsFor(isOurs, hasEnded, ends);
    if (isOurs && !hasEnded && ends !== undefined) {
      timer = setTimeout(show, Math.min(ends - Date.now(), MAX_WAIT_MS));
    }
  };
  const get = async () => {
    getter.disabled = true;
    status.textContent = 'One moment\u2026';
    try {
      const made = await ask(server(), path);
      const value = memberAt(made, credential);
      if (typeof value !== 'string' || value === '') {
        throw new Error('The response of the API has no credential where its document says.');
      }
      const ends = Date.parse(String(expiresAt && memberAt(made, expiresAt)));
      const { ends: _, ...others } = keysOf(scheme);
      keepKeys(scheme, { ...others, value, sandbox: value, ...(!Number.isNaN(ends) && { ends }) });
      input.value = value;
      show();
      changed(input);
    } catch (error) {
      show(error instanceof Error ? error.message : String(error));
    } finally {
      getter.disabled = false;
    }
  };
  const getter = button('', { onclick: get });
  input.addEventListener('input', () => show());
  show();
  return element('div', { class: 'try-offer' }, getter, status);
}

function stateOf({ value, sandbox, ends }: Keys) {
  const isOurs = value !== '' && value === sandbox;
  return { isOurs, ends, hasEnded: isOurs && ends !== undefined && ends <= Date.now() };
}

function wordsFor(isOurs: boolean, hasEnded: boolean, ends: number | undefined): string {
  if (!isOurs) return 'A store of your own, to try things on. It needs no account.';
  if (hasEnded) return 'Your sandbox has ended.';
  return ends === undefined ? 'This is your sandbox.' : `Your sandbox ends ${timeOf(ends)}.`;
}

/** `at 13:05`, with the day where it is another one. */
function timeOf(ends: number): string {
  const end = new Date(ends);
  const time = end.toLocaleTimeString(undefined, { timeStyle: 'short' });
  const isToday = end.toDateString() === new Date().toDateString();
  return isToday ? `at ${time}` : `on ${end.toLocaleDateString()} at ${time}`;
}

/** The API's response as JSON. Throws Error with a sentence for the reader. */
async function ask(server: string, path: string): Promise<unknown> {
  const response = await send(
    {
      method: 'POST',
      url: server.replace(/\/$/, '') + path,
      headers: [
        ['Content-Type', 'application/json'],
        ['Accept', 'application/json'],
      ],
      body: { kind: 'text', type: 'application/json', text: '{}' },
    },
    AbortSignal.timeout(TIME_LIMIT_MS),
  );
  const { chunks } = await readBytes(response, () => {});
  const text = await new Blob(chunks).text();
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    read = undefined;
  }
  if (response.status >= 200 && response.status < 300) return read;
  const message = memberAt(read, '/message') ?? memberAt(read, '/detail');
  throw new Error(
    `The API gave no sandbox (${response.status}).${typeof message === 'string' ? ` ${message}` : ''}`,
  );
}

/** What stands in JSON at a pointer (RFC 6901); undefined for nothing. */
function memberAt(value: unknown, pointer: string): unknown {
  let found = value;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name))
      return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
