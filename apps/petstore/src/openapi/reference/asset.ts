import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { ApiError } from '@petstore/http/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { preconditionOf } from '../../http/conditional.ts';
import { failedCondition, PRECONDITION_FAILED } from '../../precondition.ts';

type Coding = 'br' | 'gzip';

/** Both compressors take about as long: little enough to wait for at the first request. */
const COMPRESSORS: Record<Coding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body) => promisify(gzip)(body),
};

/** A file for pages. It is compressed at most once in each coding, and kept in memory. */
export class Asset {
  readonly #type: string;
  readonly #body: Buffer;
  readonly #etag: string;
  readonly #coded = new Map<Coding, Promise<Buffer>>();

  /** `type` is the media type, charset included. */
  constructor(type: string, body: string | Buffer) {
    this.#type = type;
    this.#body = typeof body === 'string' ? Buffer.from(body) : body;
    this.#etag = hash('sha256', this.#body, 'hex').slice(0, 16);
  }

  /** A hash of the content: an address that contains it can be cached for ever. */
  get version(): string {
    return this.#etag;
  }

  /** Responds to a GET. `cacheControl` says how long the client may keep it. */
  async send(request: FastifyRequest, reply: FastifyReply, cacheControl: string): Promise<void> {
    const coding = bestCoding(request.headers['accept-encoding'] ?? '');
    // Each coding is a representation of its own (RFC 9110, section 8.8.3.3).
    const etag = `"${this.#etag}${coding ? `-${coding}` : ''}"`;
    reply.headers({
      'content-type': this.#type,
      'cache-control': cacheControl,
      'cross-origin-resource-policy': 'same-origin',
      vary: 'accept-encoding',
      etag,
    });
    const precondition = preconditionOf(request);
    const failed = precondition && failedCondition(precondition, etag);
    if (failed === 'ifMatch')
      throw new ApiError('precondition_failed', PRECONDITION_FAILED.ifMatch);
    if (failed) {
      reply.code(304).send();
      return;
    }
    if (coding) reply.header('content-encoding', coding);
    reply.send(coding ? await this.#encode(coding) : this.#body);
  }

  #encode(coding: Coding): Promise<Buffer> {
    const coded = this.#coded.get(coding) ?? COMPRESSORS[coding](this.#body);
    this.#coded.set(coding, coded);
    return coded;
  }
}

/** Codings that are read: more than any client sends, and few enough to cost nothing. */
const MAX_CODINGS = 32;

/** RFC 9110, section 12.5.3; a weight of zero forbids a coding. */
function bestCoding(acceptEncoding: string): Coding | undefined {
  const accepted = new Set(
    acceptEncoding
      .toLowerCase()
      .split(',', MAX_CODINGS)
      // Not split at a pattern with white space on both sides, which would take quadratic time.
      .map((item) => item.split(';').map((part) => part.trim()))
      .filter(([, weight = 'q=1']) => !/^q=0(\.0*)?$/.test(weight))
      .map(([name]) => name),
  );
  if (accepted.has('br')) return 'br';
  return accepted.has('gzip') ? 'gzip' : undefined;
}
