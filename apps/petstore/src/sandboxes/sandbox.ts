import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { SCOPES, type Scope } from '../keys/scope.ts';
import { MAX_SEED } from '../pets/synthetic-pet.ts';
import { named, PlainText, Ref } from '../schema-types.ts';

/** What a sandbox is: a small store of one's own, with its key, that ends by itself. */

/** What a sandbox's key may do: everything but run the service. */
export const SANDBOX_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'admin');

/** How long a sandbox lives, in seconds, where nobody says. */
export const DEFAULT_TTL_SECONDS = 3_600;
export const MIN_TTL_SECONDS = 60;
/** The longest that a request may ask for. */
const MAX_TTL_SECONDS = 86_400;
/** The longest that the command line may ask for, in days. No sandbox lives longer. */
export const LONGEST_TTL_DAYS = 30;

/** Animals of a new sandbox, where nobody says: three pages of the list. */
export const DEFAULT_PETS = 50;
export const MAX_PETS = 500;

export const MAX_SANDBOX_NAME_LENGTH = 100;

/** Snapshots of a sandbox at most. */
export const MAX_SNAPSHOTS = 5;

const MAX_SNAPSHOT_NAME_LENGTH = 50;

/** Whether a text can be the name of a snapshot, which stands in paths. */
export function isSnapshotName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text) && text.length <= MAX_SNAPSHOT_NAME_LENGTH;
}

const id = Type.String({
  description: 'Names the sandbox to those who run the service. It opens nothing.',
  examples: ['sbx_5f0c2a9be1d47386'],
});

const name = PlainText({
  minLength: 1,
  maxLength: MAX_SANDBOX_NAME_LENGTH,
  description: 'What it is for, for people to read.',
  examples: ['lesson 4'],
});

const seed = Type.Integer({
  minimum: 0,
  maximum: MAX_SEED,
  description:
    'What its data were made from: the same seed and number of animals give the same data.',
  examples: [200],
});

const time = (description: string, example: string) =>
  Type.String({
    format: 'date-time',
    description: `${description} RFC 3339, in UTC, with milliseconds.`,
    examples: [example],
  });

const createdAt = time('When it was made.', '2026-11-21T12:00:00.000Z');
const expiresAt = time(
  'When it ends: its key is refused from then on, and its data are deleted.',
  '2026-11-21T13:00:00.000Z',
);

export type SandboxInput = Static<typeof SandboxInput>;
export const SandboxInput = named(
  'SandboxInput',
  Type.Object(
    {
      ttl: Type.Optional(
        Type.Integer({
          minimum: MIN_TTL_SECONDS,
          maximum: MAX_TTL_SECONDS,
          default: DEFAULT_TTL_SECONDS,
          description: 'How long it lives, in seconds.',
        }),
      ),
      seed: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_SEED,
          description:
            'What its data are made from: the same seed and number of animals give the same data, byte for byte. ' +
            'A random one when omitted; the response names it.',
          examples: [200],
        }),
      ),
      pets: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_PETS,
          default: DEFAULT_PETS,
          description: 'How many animals it begins with.',
        }),
      ),
      name: Type.Optional(name),
    },
    { description: 'A sandbox to make. Members that are not listed here are ignored.' },
  ),
);

export const SandboxWithKey = named(
  'SandboxWithKey',
  Type.Object(
    {
      id,
      key: Type.String({
        description: 'Its API key. It is shown this once.',
        examples: ['pk_sand_00000000000000000000000000000000000000'],
      }),
      name: Type.Optional(name),
      seed,
      createdAt,
      expiresAt,
    },
    { description: 'A sandbox that was just made, with its key.' },
  ),
);

const count = (what: string) =>
  Type.Integer({ minimum: 0, description: `${what} that it holds now.`, examples: [50] });

export const Sandbox = named(
  'Sandbox',
  Type.Object(
    {
      id,
      name: Type.Optional(name),
      seed,
      createdAt,
      expiresAt,
      pets: count('Animals'),
      categories: count('Categories'),
      orders: count('Orders'),
      snapshots: count('Snapshots'),
    },
    { description: 'A sandbox: a store of its own, which ends by itself.' },
  ),
);

const snapshotName = PlainText({
  minLength: 1,
  maxLength: MAX_SNAPSHOT_NAME_LENGTH,
  description:
    'Its name: letters, digits, dots, dashes and underscores, the first a letter or a digit.',
  examples: ['before-lunch'],
});

export type SnapshotInput = Static<typeof SnapshotInput>;
export const SnapshotInput = named(
  'SnapshotInput',
  Type.Object(
    { name: snapshotName },
    { description: 'A snapshot to keep. One of the same name is replaced.' },
  ),
);

export const Snapshot = named(
  'Snapshot',
  Type.Object(
    {
      name: snapshotName,
      createdAt: time('When it was kept.', '2026-11-21T12:00:00.000Z'),
      bytes: Type.Integer({
        minimum: 0,
        description: 'What it takes on disk; 0 where it is as the seed made it.',
        examples: [1204],
      }),
    },
    { description: 'The data of a sandbox as they were.' },
  ),
);

export const Snapshots = named(
  'Snapshots',
  Type.Array(Ref(Snapshot), {
    maxItems: MAX_SNAPSHOTS,
    description: 'The snapshots of a sandbox, the oldest first.',
  }),
);

/** In the order of the document. */
export const SANDBOX_SCHEMAS = [
  ...[SandboxInput, SandboxWithKey, Sandbox, SnapshotInput, Snapshot, Snapshots],
];

export const SnapshotParams = Type.Object({ snapshotName });
