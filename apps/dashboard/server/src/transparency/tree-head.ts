import { createHash, type KeyObject, verify } from 'node:crypto';
import type { CtLog } from './log-list.ts';

/** What a log says of its tree, with its signature checked. */
export interface TreeHead {
  /** How many entries there are. */
  readonly size: number;
  readonly root: Buffer;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** As the log sent it: with its signature, evidence for others. */
  readonly signed: string;
}

/** What a log sent is not what the standard says, or not signed by it. */
export class BadTreeHeadError extends Error {
  override name = 'BadTreeHeadError';
}

/** Reads the response of `get-sth` (RFC 6962, section 4.3). Throws BadTreeHeadError. */
export function readSignedTreeHead(text: string, { key }: Pick<CtLog, 'key'>): TreeHead {
  const { tree_size, timestamp, sha256_root_hash, tree_head_signature } = objectIn(text);
  const root = Buffer.from(String(sha256_root_hash), 'base64');
  const head = checkedHead({ size: Number(tree_size), timestamp: Number(timestamp), root });
  const signature = Buffer.from(String(tree_head_signature), 'base64');
  if (!isSigned(head, signature, key)) throw badSignature();
  return { ...head, signed: text };
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {}
  throw new BadTreeHeadError('the signed tree head is not a JSON object');
}

/** The signature type of RFC 6962 in notes (c2sp.org/static-ct-api). */
const RFC_6962_NOTE = 0x05;

/** How many signatures of a note are looked at: witnesses add theirs. */
const MAX_SIGNATURES = 64;

/** Reads a checkpoint (c2sp.org/static-ct-api, c2sp.org/signed-note). Throws BadTreeHeadError. */
export function readCheckpoint(
  text: string,
  { origin, id, key }: Pick<CtLog, 'origin' | 'id' | 'key'>,
): TreeHead {
  const end = text.lastIndexOf('\n\n');
  const lines = text.slice(0, end).split('\n');
  const [named, size = '', root = ''] = lines;
  if (end < 0 || lines.length !== 3 || !/^(0|[1-9]\d*)$/.test(size))
    throw new BadTreeHeadError('the checkpoint is not one of three lines with signatures');
  if (named !== origin) throw new BadTreeHeadError(`the checkpoint is of ${named}, not ${origin}`);
  const parts = [`${origin}\n`, Buffer.of(RFC_6962_NOTE), Buffer.from(id, 'hex')];
  const keyId = sha256(...parts).subarray(0, 4);
  const ours = text
    .slice(end + 2)
    .split('\n')
    .slice(0, MAX_SIGNATURES)
    .map((line) => /^— (\S+) (\S+)$/.exec(line))
    .filter((line) => line?.[1] === origin)
    .map((line) => Buffer.from(line?.[2] ?? '', 'base64'))
    .find((bytes) => bytes.length > 12 && bytes.subarray(0, 4).equals(keyId));
  if (!ours) throw new BadTreeHeadError('the checkpoint has no signature by the key of the log');
  const head = checkedHead({
    size: Number(size),
    root: Buffer.from(root, 'base64'),
    timestamp: Number(ours.readBigUInt64BE(4)),
  });
  if (!isSigned(head, ours.subarray(12), key)) throw badSignature();
  return { ...head, signed: text };
}

type Unsigned = Omit<TreeHead, 'signed'>;

function checkedHead(head: Unsigned): Unsigned {
  const { size, timestamp, root } = head;
  if (!Number.isSafeInteger(size) || size < 0 || !Number.isSafeInteger(timestamp))
    throw new BadTreeHeadError(
      'the size or the time of the tree is no number that a tree can have',
    );
  if (root.length !== 32) throw new BadTreeHeadError('the root of the tree is not of 32 bytes');
  return head;
}

const badSignature = () =>
  new BadTreeHeadError('the signature of the tree is not by the key of the log');

/** Checks a TreeHeadSignature (RFC 6962, section 3.5) in TLS's form: two algorithms, a length, a signature. */
function isSigned({ size, timestamp, root }: Unsigned, signature: Buffer, key: KeyObject): boolean {
  const [sha256Id, algorithm] = signature;
  const algorithmOfKey = key.asymmetricKeyType === 'rsa' ? 1 : 3;
  if (signature.length < 4 || sha256Id !== 4 || algorithm !== algorithmOfKey) return false;
  const bytes = signature.subarray(4);
  if (bytes.length !== signature.readUInt16BE(2)) return false;
  const said = Buffer.alloc(18);
  said[1] = 1; // tree_hash
  said.writeBigUInt64BE(BigInt(timestamp), 2);
  said.writeBigUInt64BE(BigInt(size), 10);
  return verify('sha256', Buffer.concat([said, root]), key, bytes);
}

function sha256(...parts: readonly (Uint8Array | string)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
