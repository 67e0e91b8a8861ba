const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether a host is this machine, which a page may ask over HTTP from wherever it comes. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname);

/**
 * The address to ask. A service may serve its own reference, which a `meta` element `api-here` says: then all names of
 * this machine mean the same, but only the one in the address bar is this page's origin.
 */
export function onThisName(url: string): string {
  if (document.querySelector('meta[name="api-here"]') === null || !URL.canParse(url)) return url;
  const asked = new URL(url);
  const isHere =
    isLoopback(asked.hostname) && isLoopback(location.hostname) && asked.port === location.port;
  return isHere ? `${location.origin}${asked.pathname}${asked.search}` : url;
}
