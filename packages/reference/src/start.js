// Runs in the browser, after Scalar's own script: draws the reference into the page.
// @ts-check

/** @type {import('./page.ts').ReferenceSettings} */
const settings = JSON.parse(document.getElementById('settings')?.textContent ?? '{}');

const REMEMBER = settings.rememberAs;

const checkbox = /** @type {HTMLInputElement | null} */ (document.getElementById('remember'));

/** The browser's storage, where it is allowed. */
function storage() {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}

const isRemembered = () => storage()?.getItem(REMEMBER) === 'yes';

/** Where Scalar stores keys, followed by the document's name. Other names may be another program's. */
const SCALAR_KEYS = 'scalar-reference-auth';

/** Deletes the keys that the reference stored while it was allowed to. */
function forgetKeys() {
  const kept = storage();
  for (const name of Object.keys(kept ?? {}))
    if (name.startsWith(SCALAR_KEYS)) kept?.removeItem(name);
}

if (!isRemembered()) forgetKeys();

// Scalar stores a key half a second, or ten, after it was typed. By then it may have to be deleted.
const { setItem } = Storage.prototype;
Storage.prototype.setItem = function (name, value) {
  if (this === storage() && name.startsWith(SCALAR_KEYS) && !isRemembered()) return;
  setItem.call(this, name, value);
};

/** A segment of a path before it was encoded into an address. */
function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The pattern of an operation's requests, from `GET /pets/{petId}`. */
function pattern(operation) {
  const [method = '', template = ''] = operation.split(/ (.*)/s);
  const segments = template
    .replace(/[?#].*$/s, '')
    .split('/')
    .slice(1);
  return {
    operation,
    method,
    segments: segments.map((segment) => {
      const [, ...rest] = segment.split(/\{[^}]*\}/);
      const literal = segment.split(/\{[^}]*\}/).map((part) => part.replace(/[^\w]/gu, '\\$&'));
      return { isLiteral: rest.length === 0, accepts: new RegExp(`^${literal.join('.*')}$`, 's') };
    }),
  };
}

const patterns = [...settings.withoutPanel, ...settings.withPanel].map(pattern);

/**
 * Whether a request belongs to an operation that must not be tried from here. The part of its address before the path
 * is the server's. Of several operations whose paths match the end, OpenAPI prefers the one with the most segments,
 * then the one with the fewest parameters.
 */
function isWithoutPanel(method, url) {
  const segments = new URL(url, location.href).pathname.split('/').slice(1).map(decoded);
  const meant = patterns
    .filter(
      (candidate) =>
        candidate.method === method &&
        candidate.segments.length <= segments.length &&
        candidate.segments.every(({ accepts }, at) =>
          accepts.test(segments[segments.length - candidate.segments.length + at] ?? ''),
        ),
    )
    .sort(
      (a, b) =>
        b.segments.length - a.segments.length ||
        b.segments.filter(({ isLiteral }) => isLiteral).length -
          a.segments.filter(({ isLiteral }) => isLiteral).length,
    )[0];
  return meant !== undefined && settings.withoutPanel.includes(meant.operation);
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** This machine has several names, but only the one in the address bar is this page's origin. */
async function fromHere(request) {
  const { hostname, port, pathname, search } = new URL(request.url);
  const isHere =
    settings.isServedByApi &&
    LOOPBACK.test(hostname) &&
    LOOPBACK.test(location.hostname) &&
    port === location.port;
  if (!isHere || hostname === location.hostname) return request;
  const { method, headers } = request;
  // As a whole: a stream can't be sent over HTTP/1.1.
  const body = request.body ? await request.arrayBuffer() : undefined;
  return new Request(`${location.origin}${pathname}${search}`, { method, headers, body });
}

/** Why there was no response. A browser doesn't tell a page which of these reasons it is. */
function withoutResponse({ url, method, headers }) {
  const { origin } = new URL(url);
  if (origin === location.origin) return `No response from ${origin}: it is down, or out of reach.`;
  // The headers that the browser asks for in a preflight request.
  const names = [...headers.keys()].filter((name) => !ALWAYS_ALLOWED.includes(name));
  const needed = [
    `Access-Control-Allow-Origin: ${location.origin}`,
    ...(names.length > 0 ? [`Access-Control-Allow-Headers: ${names.join(', ')}`] : []),
    ...(/^(GET|HEAD|POST)$/.test(method) ? [] : [`Access-Control-Allow-Methods: ${method}`]),
  ];
  return `No response from ${origin}. Either it is down, or it does not allow pages of ${location.origin} (CORS): its operator must send ${needed.join(' and ')}.`;
}

/** Headers that no server has to allow, with the values that the panel sends. */
const ALWAYS_ALLOWED = ['accept', 'accept-language', 'content-language'];

const NOTICE = 'reference-notice';

function clearNotice() {
  for (const notice of document.querySelectorAll(`.${NOTICE}`)) notice.remove();
}

/** Shows a message where the panel shows responses. It stays until the next request or panel. */
function showNotice(text) {
  const notice = document.createElement('p');
  notice.className = NOTICE;
  notice.setAttribute('role', 'alert');
  notice.textContent = text;
  document.querySelector('.scalar-client--open .response-section-content')?.before(notice);
  notice.scrollIntoView({ block: 'nearest' });
}

document.addEventListener(
  'click',
  ({ target }) => {
    if (target instanceof Element && target.closest('.show-api-client-button')) clearNotice();
  },
  true,
);

/** @type {typeof fetch} */
const tryOut = async (input, init) => {
  clearNotice();
  const original = new Request(input, init);
  if (isWithoutPanel(original.method, original.url)) {
    throw new Error('This operation cannot be tried from the reference.');
  }
  const request = await fromHere(original);
  try {
    return await fetch(request);
  } catch (error) {
    // The reader may have cancelled it.
    if (request.signal.aborted || !(error instanceof TypeError)) throw error;
    showNotice(withoutResponse(request));
    throw new Error(`No response from ${new URL(request.url).origin}`);
  }
};

const hidden = settings.withoutPanel
  .map((operation) => `/${operation.replace(' ', '')}`)
  .map((end) => `section[id$="${CSS.escape(end)}"] .show-api-client-button`)
  .join(',');

const configuration = {
  url: settings.documentUrl,
  title: settings.title,
  customFetch: tryOut,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  hideSearch: settings.isFramed,
  hideDarkModeToggle: settings.isFramed,
  documentDownloadType: settings.isFramed ? 'none' : 'both',
  metaData: { title: document.title },
  customCss: `
    ${hidden && `${hidden} { display: none !important }`}
    .${NOTICE} {
      margin: 12px; padding: 12px 14px; color: var(--scalar-color-1); font: 14px / 1.5 var(--scalar-font);
      border: 1px solid var(--scalar-color-red); border-left-width: 3px; border-radius: 6px;
      overflow-wrap: anywhere;
    }
    /* A computer drawn in letters, where the response will be. */
    .ascii-art { display: none !important }
    :has(> .ascii-art)::before {
      content: 'The response will be shown here.'; color: var(--scalar-color-2); text-transform: none;
    }
    .${NOTICE} ~ * :has(> .ascii-art)::before { content: none }
    /* A section that a link leads to gets the focus. Its title shows that, instead of lines down the page. */
    section[id][tabindex="-1"]:focus { outline: none !important }
    section[id][tabindex="-1"]:focus .section-header-label { animation: reference-arrive 2s ease-out }
    @keyframes reference-arrive { from { color: var(--scalar-color-accent) } }
    @media (max-width: 30rem) {
      /* Otherwise one of the two covers the other. */
      div:has(> button [data-testid="auth-indicator"]) { flex-wrap: wrap }
      button:has([data-testid="auth-indicator"]) { min-width: max-content }
      button:has([data-testid="auth-indicator"]) ~ * { padding: 0 0 4px 9px }
    }
    /* The panel's own list of operations would also offer those that have no panel. */
    .scalar-sidebar-toggle { display: none !important }
    /* A contrast of 4.5 to 1 (WCAG 2.2, 1.4.3), which Scalar's own colours lack. */
    .light-mode {
      --scalar-color-2: #4b4f56; --scalar-color-3: #5b5f67; --scalar-color-green: #05683f;
      --scalar-color-red: #b3140c; --scalar-color-yellow: #7a5600; --scalar-color-blue: #0a5aa8;
      --scalar-color-orange: #964200; --scalar-color-purple: #5c3cc4;
      --scalar-sidebar-color-2: #4b4f56; --scalar-sidebar-search-color: #5b5f67;
    }
    .dark-mode { --scalar-color-2: #b8bcc4; --scalar-color-3: #a6abb5; --scalar-sidebar-color-2: #b8bcc4;
      --scalar-sidebar-search-color: #a6abb5; --scalar-color-red: #ff8a80; }
  `,
};

// @ts-expect-error Scalar's script defines it.
const reference = window.Scalar.createApiReference('#reference', {
  ...configuration,
  persistAuth: isRemembered(),
});

if (checkbox) {
  checkbox.checked = isRemembered();
  checkbox.addEventListener('change', () => {
    if (checkbox.checked) storage()?.setItem(REMEMBER, 'yes');
    else storage()?.removeItem(REMEMBER);
    if (!checkbox.checked) forgetKeys();
    reference.updateConfiguration({ ...configuration, persistAuth: checkbox.checked });
  });
}
