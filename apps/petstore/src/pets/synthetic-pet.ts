import type { PetFields, PetStatus } from './pet.ts';

// Made-up animals, to load a store and to fill a sandbox: the same seed gives the same ones, for ever.

/** Seeds are 0 to this. */
export const MAX_SEED = 2 ** 32 - 1;

const NAMES =
  'Bella Charlie Luna Max Lucy Cooper Daisy Milo Zoe Buddy Lily Rocky Lola Bear Sadie Tucker Molly Oliver Bailey Duke Maggie Leo Sophie Jack Chloe Toby Stella Oscar Penny Rex Nala Ziggy Mia Simba Coco Felix Ruby Jasper Willow Smokey Hazel Gizmo Olive Pepper Ivy Chester Poppy Whiskers Frida Shadow'.split(
    ' ',
  );

const EPITHETS =
  'Amber Bold Brave Bright Clever Curious Dusty Fluffy Gentle Golden Jolly Lazy Little Lucky Mellow Misty Nimble Patchy Proud Quick Quiet Scruffy Shy Silver Sleepy Snowy Speckled Spotted Striped Swift Tiny Wild'.split(
    ' ',
  );

/** The categories have the ids 1 to this: dogs are more common than iguanas, so low ids come up more often. */
const SYNTHETIC_CATEGORIES = 24;

/** Of a hundred animals 70 can be had, 10 are being sold, and 20 have found a home. */
function statusOf(percent: number): PetStatus {
  if (percent < 70) return 'available';
  return percent < 80 ? 'pending' : 'sold';
}

/**
 * The animal at a position (from 0) in the sequence of a seed (32 bits). It depends on nothing else, so a longer
 * sequence begins with the shorter one.
 */
export function syntheticPet(seed: number, place: number): PetFields {
  const a = mix(seed ^ mix(place));
  const b = mix(a + 0x9e3779b9);
  const name = NAMES[a % NAMES.length];
  const epithet = EPITHETS[(a >>> 16) % EPITHETS.length];
  // The smaller of two even draws: the lower, the likelier.
  const category = Math.min(b % SYNTHETIC_CATEGORIES, (b >>> 8) % SYNTHETIC_CATEGORIES);
  return {
    name: `${epithet} ${name}`,
    categoryId: BigInt(category + 1),
    status: statusOf((b >>> 16) % 100),
  };
}

/** A 32-bit integer in, one out that has nothing of its pattern: the finalizer of MurmurHash3. */
function mix(value: number): number {
  let hash = value >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
