import type {
  TArray,
  TArrayOptions,
  TBoolean,
  TEnum,
  TInteger,
  TNull,
  TNumberOptions,
  TObject,
  TObjectOptions,
  TOptional,
  TProperties,
  TRecord,
  TRef,
  TSchema,
  TSchemaOptions,
  TString,
  TStringOptions,
  TUnion,
  TUnknown,
  TUnsafe,
} from 'typebox';

/** Not enumerable, so that it stays out of the document. */
const OPTIONAL = '~optional';

/**
 * Builders of the few kinds of schema that the services use. They make plain JSON Schema, with TypeBox's types
 * (`Static`). TypeBox's own builders do the same, but come in 370 modules: a service would take a third longer to
 * start.
 */
export const Type = {
  Object<T extends TProperties>(properties: T, options: TObjectOptions = {}): TObject<T> {
    const required = Object.keys(properties).filter((name) => !isOptional(properties[name]));
    const schema = {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties,
      ...options,
    };
    return schema as unknown as TObject<T>;
  },

  Array<T extends TSchema>(items: T, options: TArrayOptions = {}): TArray<T> {
    return { type: 'array', items, ...options } as unknown as TArray<T>;
  },

  String(options: TStringOptions = {}): TString {
    return { type: 'string', ...options } as unknown as TString;
  },

  Integer(options: TNumberOptions = {}): TInteger {
    return { type: 'integer', ...options } as unknown as TInteger;
  },

  Boolean(options: TSchemaOptions = {}): TBoolean {
    return { type: 'boolean', ...options } as unknown as TBoolean;
  },

  Null(): TNull {
    return { type: 'null' } as unknown as TNull;
  },

  Unknown(): TUnknown {
    return {} as unknown as TUnknown;
  },

  Enum<T extends string[]>(words: readonly [...T], options: TSchemaOptions = {}): TEnum<T> {
    return { enum: words, ...options } as unknown as TEnum<T>;
  },

  Union<T extends TSchema[]>(anyOf: [...T]): TUnion<T> {
    return { anyOf } as unknown as TUnion<T>;
  },

  /** An object with arbitrary names, whose values are all of one kind. */
  Record<T extends TSchema>(values: T): TRecord<'^.*$', T> {
    const schema = { type: 'object', patternProperties: { '^.*$': values } };
    return schema as unknown as TRecord<'^.*$', T>;
  },

  /** A reference to the schema with this `$id`. */
  Ref<const T extends string>($ref: T): TRef<T> {
    return { $ref } as unknown as TRef<T>;
  },

  /** A member that an object may lack. */
  Optional<T extends TSchema>(schema: T): TOptional<T> {
    return Object.defineProperty({ ...schema }, OPTIONAL, {
      value: true,
    }) as unknown as TOptional<T>;
  },

  /** A schema for values whose type it does not imply. */
  Unsafe<T>(schema: TSchema): TUnsafe<T> {
    return schema as TUnsafe<T>;
  },
};

function isOptional(schema: object | undefined): boolean {
  return schema !== undefined && OPTIONAL in schema;
}
