import { type Question, readHead } from '../message.ts';
import { messageReader } from '../message-reader.ts';
import type { ExtendedError } from '../outcome.ts';
import {
  type NoResponse,
  queryServerOnce,
  type ReadResponse,
  type ServerAddress,
} from '../query-server.ts';
import type { Bounds } from '../servers.ts';
import { readExtendedErrors } from './extended-errors.ts';
import { type RrSet, readRrSets } from './rrset.ts';

/** A response with its signatures. */
export interface SignedResponse {
  readonly rcode: number;
  /** The resolver has validated it. */
  readonly isAuthentic: boolean;
  readonly answer: readonly RrSet[];
  readonly authority: readonly RrSet[];
  readonly extended: readonly ExtendedError[];
}

/** A resolver that is asked for signatures; `isUnchecked`: also for those that it does not believe. */
export type SignedLookUp = (
  name: string,
  type: Question['type'],
  isUnchecked: boolean,
) => Promise<SignedResponse | undefined>;

const TIMEOUT_MS = 1_000;

/**
 * Look-ups at a resolver with DO set (RFC 3225); undefined where there is no response, which may be lost once. Never
 * rejects.
 */
export function signedLookUps(server: ServerAddress, bounds: Bounds): SignedLookUp {
  return async (name, type, isUnchecked) => {
    const question = { name: name === '' ? '.' : name, type, isRecursive: true, isSigned: true };
    const ask = () =>
      queryServerOnce<SignedResponse>(
        server,
        { ...question, isUnchecked },
        { timeoutMs: TIMEOUT_MS, ...bounds },
        readSigned,
      );
    return (await ask()) ?? ask();
  };
}

const ANSWERS_AT = 6;
const AUTHORITIES_AT = 8;

/** Reads a response with its signatures, within bounds. Never throws. */
export const readSigned: ReadResponse<SignedResponse | NoResponse> = (query, message) => {
  const head = readHead(query, message);
  if (head === 'malformed') return { kind: 'malformed' };
  if (typeof head === 'string') return head;
  const { rcode, isAuthentic, end } = head;
  const reader = messageReader(message, end);
  try {
    return {
      rcode,
      isAuthentic,
      answer: readRrSets(reader, message.readUInt16BE(ANSWERS_AT)),
      authority: readRrSets(reader, message.readUInt16BE(AUTHORITIES_AT)),
      extended: readExtendedErrors(message, end),
    };
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'malformed' };
    throw error;
  }
};
