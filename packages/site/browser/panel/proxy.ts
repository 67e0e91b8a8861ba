// The site's request proxy: for an API that lets pages of no other origin ask (CORS). The reader chooses it, for the
// visit of the page.

import {
  FRAMES_TYPE,
  type Frame,
  framePrefix,
  frameValue,
  type HeaderPair,
  PROXY_PATH,
  type ProxiedEnd,
  type ProxiedHead,
  type ProxiedRequest,
  type ProxyProblem,
  readFrame,
} from '../../src/request/proxy-format.ts';
import { addressOf } from '../dom.ts';
import { button, element } from './dom.ts';

/** A response, which came directly or through the proxy. */
export interface ApiResponse
  extends Pick<Response, 'status' | 'statusText' | 'url' | 'redirected' | 'body'> {
  readonly headers: Iterable<readonly [string, string]> & Pick<Headers, 'get'>;
  readonly isProxied?: boolean;
}

export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderPair[];
  readonly content?: BlobPart | undefined;
}

/** Why the proxy has no response, or not all of it, in a sentence for the reader. */
export class ProxyError extends Error {
  constructor(message: string) {
    super(`The proxy of ${location.host} reports: ${message}`);
  }
}

const NAME = `Send through ${location.host}`;
const WARNING =
  'The request with its credentials passes through this site\u2019s server, which keeps nothing of it.';

const box = element('input', { type: 'checkbox' });

/** The reader's choice, which all panels of the page share. It is hidden until it is of use. */
export const proxyChoice = element(
  'div',
  { class: 'try-proxy', hidden: true },
  element('label', { class: 'try-check' }, box, NAME),
  element('span', { class: 'try-hint' }, WARNING),
);

/** Whether the reader wants requests to this address to go through the proxy. */
export const goesThroughProxy = (url: string): boolean =>
  box.checked && new URL(url, location.href).origin !== location.origin;

let found: Promise<boolean> | undefined;

/** Whether the site has a proxy, which is asked once: pages are the same with and without it. */
function hasProxy(): Promise<boolean> {
  found ??= fetch(addressOf(PROXY_PATH), { cache: 'no-store', credentials: 'omit' }).then(
    ({ status }) => status === 204,
    () => false,
  );
  return found;
}

/** Shows the choice where the site has a proxy; whether it has. */
export async function revealProxy(): Promise<boolean> {
  proxyChoice.hidden &&= !(await hasProxy());
  return !proxyChoice.hidden;
}

/** A button that chooses the proxy; undefined where the site has none. */
export async function proxyOffer(onChosen: () => void): Promise<HTMLElement | undefined> {
  if (!(await hasProxy())) return undefined;
  const choose = () => {
    proxyChoice.hidden = false;
    box.checked = true;
    onChosen();
  };
  return element(
    'div',
    { class: 'try-offer' },
    button(NAME, { class: 'try-button try-strong', onclick: choose }),
    element('p', { class: 'try-hint' }, WARNING),
  );
}

/** Sends a request through the proxy. Throws ProxyError, or the signal's reason; so does the body of the response. */
export async function sendThroughProxy(
  { method, url, headers, content = '' }: Outgoing,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const head = JSON.stringify({ method, url, headers } satisfies ProxiedRequest);
  const response = await fetch(addressOf(PROXY_PATH), {
    method: 'POST',
    headers: { 'Content-Type': FRAMES_TYPE },
    body: new Blob([framed('head', head), content === '' ? '' : framed('data', content)]),
    ...{ signal, cache: 'no-store', credentials: 'omit' },
  }).catch((error) => {
    throw signal.aborted
      ? error
      : new ProxyError('there was no response of this site\u2019s server.');
  });
  if (response.headers.get('content-type') !== FRAMES_TYPE) {
    const problem: Partial<ProxyProblem> = await response.json().catch(() => ({}));
    throw new ProxyError(problem.message ?? `${response.status}. It is switched off, or away.`);
  }
  const frames = framesOf(response);
  const { value } = await frames.next();
  if (!value) throw new ProxyError(BROKEN);
  const { headers: pairs, ...rest } = frameValue(value) as ProxiedHead;
  return {
    ...rest,
    isProxied: true,
    headers: {
      get: (wanted) => new Headers(pairs.map(([name, text]) => [name, text])).get(wanted),
      [Symbol.iterator]: () => pairs[Symbol.iterator](),
    },
    body: bodyOf(frames),
  };
}

const BROKEN = 'the connection broke off.';

function framed(kind: Frame['kind'], content: BlobPart): Blob {
  const bytes = new Blob([content]);
  return new Blob([framePrefix(kind, bytes.size), bytes]);
}

function bodyOf(frames: AsyncGenerator<Frame<ArrayBuffer>>): ApiResponse['body'] {
  return new ReadableStream({
    pull: async (controller) => {
      const { value } = await frames.next();
      if (!value) throw new ProxyError(BROKEN);
      if (value.kind === 'data') return controller.enqueue(value.bytes);
      const { problem } = frameValue(value) as ProxiedEnd;
      if (problem) throw new ProxyError(problem.message);
      controller.close();
    },
    cancel: () => void frames.return(undefined),
  });
}

async function* framesOf({ body }: Response): AsyncGenerator<Frame<ArrayBuffer>> {
  let bytes = new Uint8Array();
  const reader = body?.getReader();
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      const more = new Uint8Array(bytes.length + read.value.length);
      more.set(bytes);
      more.set(read.value, bytes.length);
      bytes = more;
      for (let frame = readFrame(bytes); frame; frame = readFrame(bytes)) {
        yield frame;
        bytes = bytes.subarray(frame.size);
      }
    }
  } finally {
    reader?.cancel().catch(() => {});
  }
}
