// What the panel and a site's request proxy say to each other. Both sides send frames: a kind, a length, and bytes. So
// the status, each header as it is written, and the end of a response arrive as they are, whatever HTTP or the browser
// makes of its own headers in between.

/** Where a site has its request proxy. */
export const PROXY_PATH = '/_site/proxy';

/**
 * The media type of what both sides send. A page of another origin would need a permission to send it, which nobody
 * gives: https://fetch.spec.whatwg.org/#cors-safelisted-request-header.
 */
export const FRAMES_TYPE = 'application/vnd.request-proxy';

export type HeaderPair = readonly [name: string, value: string];

/** Where the document may be asked: a file of every site with a reference. */
export const ADDRESSES_PATH = '/_site/api-addresses.json';

/** The head of a request, as a frame of the kind `head`. Its body follows as one of the kind `data`. */
export interface ProxiedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderPair[];
}

/** The head of a response. Frames of its body follow, decoded, and then one of the kind `end`. */
export interface ProxiedHead {
  readonly status: number;
  readonly statusText: string;
  /** As the API wrote them, one after the other. */
  readonly headers: readonly HeaderPair[];
  /** From where it came, after redirects. */
  readonly url: string;
  readonly redirected: boolean;
}

/** Why the proxy sent nothing, or ended a response before its end. */
export interface ProxyProblem {
  readonly code: string;
  /** A sentence for the reader. */
  readonly message: string;
  readonly status: number;
}

/** How a response ended; without a problem it is whole. */
export interface ProxiedEnd {
  readonly problem?: ProxyProblem;
}

export type FrameKind = 'head' | 'data' | 'end';

const KINDS: readonly FrameKind[] = ['head', 'data', 'end'];

/** The kind, and the length in four bytes. */
const PREFIX_BYTES = 5;

/** What stands before the bytes of a frame. `length`: of these bytes, below 4 GiB. */
export function framePrefix(kind: FrameKind, length: number): Uint8Array<ArrayBuffer> {
  const prefix = new Uint8Array(PREFIX_BYTES);
  prefix[0] = KINDS.indexOf(kind);
  new DataView(prefix.buffer).setUint32(1, length);
  return prefix;
}

export interface Frame<Memory extends ArrayBufferLike = ArrayBufferLike> {
  readonly kind: FrameKind;
  readonly bytes: Uint8Array<Memory>;
}

/**
 * The frame at the beginning of some bytes, whose memory it shares, and how many it takes; undefined where it is not
 * whole. Throws for bytes that are no frame.
 */
export function readFrame<Memory extends ArrayBufferLike>(
  bytes: Uint8Array<Memory>,
): (Frame<Memory> & { readonly size: number }) | undefined {
  if (bytes.length < PREFIX_BYTES) return undefined;
  const kind = KINDS[bytes[0] ?? KINDS.length];
  if (kind === undefined) throw new Error('These bytes are no frame.');
  const size = PREFIX_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
  return bytes.length < size
    ? undefined
    : { kind, bytes: bytes.subarray(PREFIX_BYTES, size), size };
}

/** The value of a frame of the kind `head` or `end`. Throws where it is no JSON. */
export const frameValue = ({ bytes }: Frame): unknown =>
  JSON.parse(new TextDecoder().decode(bytes));
