import { randomBytes, randomInt } from 'node:crypto';
import type { NewAuditEvent } from '../audit/audit-event.ts';
import { generateSandboxKey, type KeyHash } from '../keys/key.ts';
import { MAX_SEED } from '../pets/synthetic-pet.ts';
import type { SandboxRecord } from '../store/contract/sandbox-rows.ts';
import { DEFAULT_PETS } from './sandbox.ts';

interface Order {
  readonly now: Date;
  readonly ttlSeconds: number;
  /** A random one where undefined. */
  readonly seed: number | undefined;
  readonly pets: number | undefined;
  readonly name: string | undefined;
  readonly madeBy: string;
}

/** A new sandbox: what the store keeps of it, and the key, which is shown this once. */
interface NewSandbox {
  readonly key: string;
  readonly row: SandboxRecord & { readonly keyHash: KeyHash };
}

export function makeSandbox({ now, ttlSeconds, seed, pets, name, madeBy }: Order): NewSandbox {
  const { key, hash } = generateSandboxKey();
  return {
    key,
    row: {
      id: `sbx_${randomBytes(8).toString('hex')}`,
      keyHash: hash,
      name: name ?? '',
      madeBy,
      seed: seed ?? randomInt(MAX_SEED + 1),
      pets: pets ?? DEFAULT_PETS,
      createdAt: now,
      expiresAt: new Date(now.getTime() + ttlSeconds * 1_000),
    },
  };
}

/** A sandbox with its key, for whoever asked for it. */
export function shownOnce({ key, row: { id, name, seed, createdAt, expiresAt } }: NewSandbox) {
  return { id, key, ...(name && { name }), seed, createdAt, expiresAt };
}

/** The audit event of a sandbox that somebody known has made. */
export function sandboxCreated({
  id,
  name,
  seed,
  pets,
  madeBy,
  ...times
}: SandboxRecord): NewAuditEvent {
  return {
    at: times.createdAt,
    action: 'sandbox.created',
    subject: id,
    detail: { name, seed, pets, madeBy, expiresAt: times.expiresAt.toISOString() },
  };
}

/** The same of one that was deleted before its end. */
export function sandboxDeleted(id: string, at: Date): NewAuditEvent {
  return { at, action: 'sandbox.deleted', subject: id, detail: {} };
}
