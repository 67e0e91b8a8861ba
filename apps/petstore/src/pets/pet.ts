import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Int64, named, OneOf, PlainText, Ref, RefWith } from '../schema-types.ts';

/** What an animal is, as the interface names it. Everything that checks or documents one starts here. */

const PET_STATUSES = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

const DEFAULT_STATUS: PetStatus = 'available';

export const PetStatus = named(
  'PetStatus',
  OneOf(PET_STATUSES, { description: 'Availability of an animal.' }),
);

const name = PlainText({
  minLength: 1,
  maxLength: 255,
  description: "The animal's name: 1 to 255 characters, none of them a control character.",
  examples: ['Rex'],
});

const categoryId = Int64({
  description: 'Id of the category the animal belongs to.',
  examples: [1n],
});

export type NewPet = Static<typeof NewPet>;
export const NewPet = named(
  'NewPet',
  Type.Object(
    {
      name,
      categoryId,
      status: Type.Optional(
        RefWith(PetStatus, {
          description: 'Availability; `available` when omitted.',
          default: DEFAULT_STATUS,
        }),
      ),
    },
    { description: 'An animal to add. Members that are not listed here are ignored.' },
  ),
);

/** What an animal is besides its id. */
export type PetFields = Required<NewPet>;

export type PetPatch = Static<typeof PetPatch>;
export const PetPatch = named(
  'PetPatch',
  Type.Object(
    {
      name: Type.Optional(name),
      categoryId: Type.Optional(categoryId),
      status: Type.Optional(RefWith(PetStatus, { description: 'Availability.' })),
    },
    {
      description:
        'What is to change, as a JSON Merge Patch (RFC 7396). Members that are not listed here are ignored.',
    },
  ),
);

const id = Int64({ description: 'Unique identifier assigned on creation.', examples: [1n] });

export const Pet = named(
  'Pet',
  // The interface does not require status here either, though every response has it.
  Type.Object(
    { id, name, categoryId, status: Type.Optional(Ref(PetStatus)) },
    { description: 'An animal of the store.' },
  ),
);

/** An animal in a file: a Pet with its id, or a NewPet, which will get one. */
export type PetLine = Static<typeof PetLine>;
export const PetLine = Type.Object({ id: Type.Optional(id), ...NewPet.properties });

export const Pets = named(
  'Pets',
  Type.Array(Ref(Pet), {
    maxItems: 100,
    description: 'A page of animals in ascending order of id.',
  }),
);

/** In the order of the document. */
export const PET_SCHEMAS = [PetStatus, NewPet, PetPatch, Pet, Pets];

export const PetParams = Type.Object({ petId: Int64({ description: 'Id of the animal.' }) });

/** The interface does not require a status; the service sets one. */
export function withDefaults(pet: NewPet): PetFields {
  return { ...pet, status: pet.status ?? DEFAULT_STATUS };
}
