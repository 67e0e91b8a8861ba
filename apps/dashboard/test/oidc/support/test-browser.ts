import assert from 'node:assert/strict';

/** A browser as far as redirects and cookies go, over any number of hosts. */
export interface TestBrowser {
  /** A request without following redirects. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Follows redirects until a page comes; where it was found. */
  open(url: string): Promise<{ url: URL; response: Response }>;
  /** Presses the button of a provider, and comes back: the path and query of the page it ends at. */
  signIn(dashboard: string, provider?: string, next?: string): Promise<string>;
  /** The same, as far as the provider's own address. */
  start(dashboard: string, provider?: string, next?: string): Promise<URL>;
  /** The JSON of a page's request to the dashboard. */
  call(dashboard: string, method: string, path: string, body?: unknown): Promise<Response>;
  /** The e-mail address of whoever is signed in. */
  who(dashboard: string): Promise<string | null>;
  /** The names and values of the cookies for an origin. */
  cookies(origin: string): Map<string, string>;
}

const MAX_REDIRECTS = 20;

export function testBrowser(): TestBrowser {
  // Cookies know no ports, but two services of a test are two sites.
  const jars = new Map<string, Map<string, string>>();
  const cookies = (origin: string) => {
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  };
  const self: TestBrowser = {
    cookies,
    async fetch(address, init = {}) {
      const { origin } = new URL(address);
      const jar = cookies(origin);
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = new Headers(init.headers);
      if (cookie && !headers.has('cookie')) headers.set('cookie', cookie);
      const response = await fetch(address, { ...init, headers, redirect: 'manual' });
      for (const set of response.headers.getSetCookie()) {
        const [pair = '', ...attributes] = set.split('; ');
        const [name = '', value = ''] = pair.split(/=(.*)/s);
        const isGone = attributes.some((each) =>
          /^(max-age=0|expires=thu, 01 jan 1970)/i.test(each),
        );
        if (isGone || value === '') jar.delete(name);
        else jar.set(name, value);
      }
      return response;
    },
    async open(address) {
      let url = new URL(address);
      for (let at = 0; at < MAX_REDIRECTS; at++) {
        const response = await self.fetch(url.href);
        const location = response.headers.get('location');
        if (location === null) return { url, response };
        await response.arrayBuffer();
        url = new URL(location, url);
      }
      throw new Error(`too many redirects, the last to ${url}`);
    },
    call: (dashboard, method, path, body) =>
      self.fetch(`${dashboard}${path}`, {
        method,
        headers: {
          origin: dashboard,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async start(dashboard, provider = 'acme', next) {
      const response = await self.call(dashboard, 'POST', `/api/oidc/${provider}/start`, {
        ...(next !== undefined && { next }),
      });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return new URL(JSON.parse(text).url);
    },
    async signIn(dashboard, provider, next) {
      const { url } = await self.open((await self.start(dashboard, provider, next)).href);
      assert.equal(url.origin, dashboard, `${url}`);
      return url.pathname + url.search;
    },
    async who(dashboard) {
      const response = await self.call(dashboard, 'GET', '/api/visitor');
      const { user } = (await response.json()) as { user: { email: string } | null };
      return user?.email ?? null;
    },
  };
  return self;
}
