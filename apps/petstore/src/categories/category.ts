import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Int64, named, PlainText, Ref } from '../schema-types.ts';

/** What a category is. Animals name one by its id; the interface does not ask that it exist. */

const id = Int64({ description: 'Unique identifier of the category.', examples: [1n] });

const name = PlainText({
  minLength: 1,
  maxLength: 255,
  description:
    'Name of the category, 1 to 255 characters. No two names are the same but for their case.',
  examples: ['Dogs'],
});

export type CategoryInput = Static<typeof CategoryInput>;
export const CategoryInput = named(
  'CategoryInput',
  Type.Object(
    { name },
    { description: 'A category to add. Members that are not listed here are ignored.' },
  ),
);

export type CategoryPatch = Static<typeof CategoryPatch>;
export const CategoryPatch = named(
  'CategoryPatch',
  Type.Object(
    { name: Type.Optional(name) },
    { description: 'What is to change, as a JSON Merge Patch (RFC 7396).' },
  ),
);

export const Category = named(
  'Category',
  Type.Object({ id, name }, { description: 'A kind of animals.' }),
);

export const Categories = named(
  'Categories',
  Type.Array(Ref(Category), {
    maxItems: 100,
    description: 'A page of categories in ascending order of id.',
  }),
);

/** In the order of the document. */
export const CATEGORY_SCHEMAS = [CategoryInput, CategoryPatch, Category, Categories];
