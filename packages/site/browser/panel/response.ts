import { isValid, layOut } from '../../src/request/json-text.ts';
import { isJson, isJsonLines, isText } from '../../src/request/media-types.ts';
import { copies } from '../copy.ts';
import { button, element } from './dom.ts';
import type { NetworkFailure } from './network-failure.ts';
import { type ApiResponse, ProxyError } from './proxy.ts';
import { type ReadBytes, readBytes } from './read-bytes.ts';
import { statusWords } from './status-words.ts';

export interface ResponseArea {
  readonly element: HTMLElement;
  clear(): void;
  /** Shows that a request is on its way. */
  wait(): void;
  /** Shows a response as it comes. Resolves when it has come. */
  show(response: ApiResponse, started: number): Promise<void>;
  /** Shows that there was none. `offer`: a way to get one. */
  fail(failure: NetworkFailure, offer?: Promise<HTMLElement | undefined>): void;
  cancelled(): void;
}

/** More letters than anyone reads here, and few enough to lay out at once. */
const MAX_SHOWN = 400_000;

/** Where the response stands below the request, as in panel.css. */
const NARROW = '(max-width: 60rem)';

/** Where responses are shown. */
export function responseArea(): ResponseArea {
  const status = element('p', { class: 'try-status', role: 'status' });
  const content = element('div', { class: 'try-answer-content' });
  const urls: string[] = [];
  const clear = () => {
    for (const url of urls.splice(0)) URL.revokeObjectURL(url);
    content.replaceChildren();
    status.replaceChildren();
  };
  const link = (bytes: ReadBytes, type: string) => {
    const url = URL.createObjectURL(new Blob(bytes.chunks, { type }));
    urls.push(url);
    return url;
  };
  const hint = (text: string) =>
    content.replaceChildren(element('p', { class: 'try-empty' }, text));
  hint('The response will be shown here.');
  const area = element(
    'section',
    { class: 'try-answer', 'aria-label': 'Response' },
    status,
    content,
  );
  return {
    element: area,
    clear: () => {
      clear();
      hint('The response will be shown here.');
    },
    wait: () => {
      clear();
      status.textContent = 'Waiting for the response\u2026';
    },
    cancelled: () => {
      clear();
      status.textContent = 'Cancelled.';
    },
    fail: ({ message }, offer) => {
      clear();
      const box = element('p', { class: 'try-refused', role: 'alert' }, message);
      content.append(box);
      content.scrollIntoView({ block: 'nearest' });
      offer?.then((made) => {
        if (made === undefined) return;
        box.after(made);
        // A phone shows the end of the panel last.
        made.scrollIntoView({ block: 'nearest' });
      });
    },
    show: async (response, started) => {
      clear();
      if (matchMedia(NARROW).matches) area.scrollIntoView({ block: 'start' });
      const type = response.headers.get('content-type') ?? '';
      const view = bodyView(type);
      const summary = (bytes: number | undefined) =>
        status.replaceChildren(...summaryParts(response, performance.now() - started, bytes));
      summary(undefined);
      content.append(headerList(response), view.element);
      let bytes: ReadBytes;
      try {
        bytes = await readBytes(response, (chunk, size) => {
          view.add(chunk);
          summary(size);
        });
      } catch (error) {
        view.end(undefined);
        content.append(element('p', { class: 'try-refused', role: 'alert' }, breakReason(error)));
        return;
      }
      summary(bytes.size);
      view.end(
        bytes.size === 0 ? undefined : { href: link(bytes, type), name: fileName(response), bytes },
      );
    },
  };
}

function breakReason(error: unknown): string {
  if (error instanceof ProxyError) return error.message;
  const isOwn = error instanceof DOMException && error.name === 'AbortError';
  return isOwn ? 'Cancelled.' : 'The connection broke off.';
}

function summaryParts(
  response: ApiResponse,
  milliseconds: number,
  bytes: number | undefined,
): Node[] {
  const kind = String(response.status).slice(0, 1);
  const code = element(
    'strong',
    { class: `try-code-${kind}` },
    `${response.status} ${statusWords(response)}`.trim(),
  );
  const details = [
    milliseconds < 1000
      ? `${Math.round(milliseconds)} ms`
      : `${(milliseconds / 1000).toFixed(2)} s`,
    ...(bytes === undefined ? [] : [sizeText(bytes)]),
    ...(response.redirected ? [`redirected to ${response.url}`] : []),
    ...(response.isProxied ? [`through ${location.host}`] : []),
  ];
  return [code, ...details.map((text) => element('span', {}, text))];
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000
    ? `${(bytes / 1000).toFixed(1)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function headerList({ headers, url, isProxied }: ApiResponse): HTMLElement {
  const all = [...headers];
  const isForeign = !isProxied && URL.canParse(url) && new URL(url).origin !== location.origin;
  return element(
    'details',
    { class: 'try-headers' },
    element('summary', {}, `Headers (${all.length})`),
    element(
      'dl',
      {},
      ...all.map(([name, value]) =>
        element('div', {}, element('dt', {}, name), element('dd', {}, value)),
      ),
    ),
    isForeign
      ? element(
          'p',
          { class: 'try-hint' },
          'Browsers show pages of other sites only the headers that Access-Control-Expose-Headers names.',
        )
      : undefined,
  );
}

/** What has come as a whole: where to download it. */
interface Whole {
  readonly href: string;
  readonly name: string;
  readonly bytes: ReadBytes;
}

interface BodyView {
  readonly element: HTMLElement;
  add(chunk: Uint8Array<ArrayBuffer>): void;
  end(whole: Whole | undefined): void;
}

function bodyView(type: string): BodyView {
  if (type === '' || isText(type) || isJsonLines(type)) return textView(type);
  return fileView(type);
}

/** Text appears as it comes. JSON is laid out when all of it is there. */
function textView(type: string): BodyView {
  const code = element('code', {});
  const box = element(
    'pre',
    { class: 'try-text', tabindex: 0, 'aria-label': 'Body of the response' },
    code,
  );
  const place = element('div', {}, box);
  const decoder = new TextDecoder(/charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8');
  let shown = '';
  let isCut = false;
  const append = (text: string) => {
    const fits = text.slice(0, MAX_SHOWN - shown.length);
    isCut ||= fits.length < text.length;
    shown += fits;
    code.append(fits);
  };
  return {
    element: place,
    add: (chunk) => append(decoder.decode(chunk, { stream: true })),
    end: (whole) => {
      append(decoder.decode());
      if (!isCut && (isJson(type) || type === '') && isValid(shown))
        code.replaceChildren(...jsonNodes(shown));
      if (whole === undefined && shown === '')
        place.replaceChildren(element('p', { class: 'try-empty' }, 'The body is empty.'));
      else if (isCut)
        place.prepend(element('p', { class: 'try-cut' }, 'Only the beginning is shown.'));
      if (whole) place.prepend(actions(whole, () => code.textContent ?? ''));
    },
  };
}

/** The classes of code samples. Longer texts would take the browser too long. */
const MAX_COLOURED = 200_000;

function jsonNodes(text: string): (Node | string)[] {
  const pieces = [...layOut(text)];
  if (text.length > MAX_COLOURED) return [pieces.map((piece) => piece.text).join('')];
  return pieces.map(({ text: part, kind }) =>
    kind === undefined
      ? part
      : element('span', { class: `hljs-${kind === 'name' ? 'attr' : kind}` }, part),
  );
}

function fileView(type: string): BodyView {
  const place = element('div', {}, element('p', { class: 'try-empty' }, 'Receiving\u2026'));
  return {
    element: place,
    add: () => {},
    end: (whole) => {
      if (whole === undefined)
        return place.replaceChildren(element('p', { class: 'try-empty' }, 'The body is empty.'));
      const isImage = /^image\//i.test(type);
      const what = element(
        'p',
        { class: 'try-empty' },
        `A file of the type ${type}, ${sizeText(whole.bytes.size)}.`,
      );
      const image = element('img', {
        class: 'try-image',
        alt: 'The image that came as response',
        src: whole.href,
      });
      place.replaceChildren(actions(whole), isImage ? image : what);
    },
  };
}

function actions({ href, name, bytes }: Whole, text?: () => string): HTMLElement {
  return element(
    'div',
    { class: 'try-actions' },
    text && copies(button('Copy', { 'aria-live': 'polite' }), async () => text()),
    element('a', { class: 'try-button', href, download: name }, 'Download'),
    bytes.isCut
      ? element('span', { class: 'try-cut' }, 'Reading ended, since the body is very large.')
      : undefined,
  );
}

const EXTENSIONS: readonly (readonly [RegExp, string])[] = [
  [/json/i, 'json'],
  [/xml/i, 'xml'],
  [/csv/i, 'csv'],
  [/html/i, 'html'],
  [/pdf/i, 'pdf'],
  [/zip/i, 'zip'],
  [/png/i, 'png'],
  [/jpe?g/i, 'jpg'],
  [/^text\//i, 'txt'],
];

/** The name that the response gives itself, otherwise the end of its address. */
function fileName({ headers, url }: ApiResponse): string {
  const [, own] = /filename="?([^";]+)/i.exec(headers.get('content-disposition') ?? '') ?? [];
  if (own) return own;
  const last = URL.canParse(url) ? new URL(url).pathname.split('/').pop() : '';
  const type = headers.get('content-type') ?? '';
  const extension = EXTENSIONS.find(([pattern]) => pattern.test(type))?.[1];
  return last?.includes('.') || !extension
    ? last || 'response'
    : `${last || 'response'}.${extension}`;
}
