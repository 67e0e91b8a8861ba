import { LogResponseError } from './log-client.ts';
import { readMerkleTreeLeaf } from './log-entry.ts';
import type { CtLog } from './log-list.ts';
import type { Get, LogReader } from './log-reader.ts';
import { leafHash, TreeEdge } from './merkle.ts';
import { readSignedTreeHead } from './tree-head.ts';

const MAX_HEAD_BYTES = 65_536;
const MAX_PROOF_BYTES = 65_536;

/** An entry's certificate has 16 MB at most, and some kilobytes as a rule; the chains come as well. */
const MAX_ENTRIES_BYTES = 64_000_000;

/** A log of RFC 6962, section 4. */
export function rfc6962Log(log: CtLog, get: Get): LogReader {
  async function object(path: string, maxBytes: number): Promise<Record<string, unknown>> {
    const text = (await get(`ct/v1/${path}`, maxBytes)).toString();
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
    } catch {}
    throw new LogResponseError(`${log.url}ct/v1/${path} is not a JSON object`);
  }
  const leafInputs = async (begin: number, end: number) => {
    const { entries } = await object(
      `get-entries?start=${begin}&end=${end - 1}`,
      MAX_ENTRIES_BYTES,
    );
    if (!Array.isArray(entries) || entries.length === 0)
      throw new LogResponseError(`${log.url} sent no entries from ${begin} on`);
    // Without what is too much.
    return entries
      .slice(0, end - begin)
      .map((entry) => Buffer.from(String(entry?.leaf_input), 'base64'));
  };
  return {
    async head() {
      return readSignedTreeHead((await get('ct/v1/get-sth', MAX_HEAD_BYTES)).toString(), log);
    },
    /** The proof of the last leaf's inclusion consists of the subtrees of all leaves before it. */
    async edge({ size }) {
      if (size === 0) return [];
      const [leaf = Buffer.alloc(0)] = await leafInputs(size - 1, size);
      const hash = leafHash(leaf);
      const query = `hash=${encodeURIComponent(hash.toString('base64'))}&tree_size=${size}`;
      const { audit_path } = await object(`get-proof-by-hash?${query}`, MAX_PROOF_BYTES);
      const edge = edgeOf(size - 1, hashesIn(audit_path).toReversed(), log);
      edge.append(hash);
      return [...edge.subtrees];
    },
    async entries(begin, end) {
      return (await leafInputs(begin, end)).map((leaf, at) => readMerkleTreeLeaf(leaf, begin + at));
    },
    async consistency(size, head) {
      if (size === 0 || size === head.size) return [];
      const path = `get-sth-consistency?first=${size}&second=${head.size}`;
      return hashesIn((await object(path, MAX_PROOF_BYTES)).consistency);
    },
  };
}

function edgeOf(size: number, subtrees: readonly Buffer[], { url }: CtLog): TreeEdge {
  try {
    return new TreeEdge(size, subtrees);
  } catch (error) {
    throw new LogResponseError(`${url} sent a proof that cannot be one`, { cause: error });
  }
}

function hashesIn(value: unknown): Buffer[] {
  return Array.isArray(value) ? value.map((hash) => Buffer.from(String(hash), 'base64')) : [];
}
