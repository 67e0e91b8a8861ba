/**
 * Makes a fetch that takes no longer than `timeoutMs`, in milliseconds, with all of the response's body, and then
 * rejects with TimeoutError. The response comes with its whole body in memory.
 *
 * The signal is passed beside the request. A signal inside of a new Request is lost as soon as garbage is collected, and
 * so is one of AbortSignal.timeout or AbortSignal.any: nothing but the request holds them, and it holds them weakly.
 */
export function bounded(fetch: typeof globalThis.fetch, timeoutMs: number): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(tookTooLong(timeoutMs)), timeoutMs);
    const pass = () => controller.abort(signal.reason);
    signal.addEventListener('abort', pass);
    try {
      signal.throwIfAborted();
      return await whole(await fetch(request, { signal: controller.signal }));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', pass);
    }
  };
}

function tookTooLong(timeoutMs: number): DOMException {
  return new DOMException(`The service did not respond within ${timeoutMs} ms.`, 'TimeoutError');
}

/** The response with its body in memory. Rejects where the body ends too early. */
async function whole(response: Response): Promise<Response> {
  const body = response.body === null ? null : await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
