import { AjvCompiler } from '@fastify/ajv-compiler';
import { type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler';

// Fastify's own validators and serializers, each compiled when its operation is first asked for: most of the time
// of a start would go into those of all operations, of which a process may never need the greater part.

const buildValidators = AjvCompiler();
const buildSerializers = SerializerSelector();

const buildValidator: typeof buildValidators = (externalSchemas, options) => {
  const compile = buildValidators(externalSchemas, options);
  return (route) => {
    let compiled: ReturnType<typeof compile> | undefined;
    const validate = (input: unknown) => {
      compiled ??= compile(route);
      const isValid = compiled(input);
      // Where Fastify looks for what is wrong.
      Object.assign(validate, { errors: compiled.errors });
      return isValid;
    };
    return validate as ReturnType<typeof compile>;
  };
};

type Serializers = Map<string, ReturnType<ReturnType<SerializerFactory>>>;

/** By the schemas that others refer to, and then by the schema: many operations answer alike. */
const made = new Map<string, Serializers>();

const buildSerializer: SerializerFactory = (externalSchemas, options) => {
  const compile = buildSerializers(externalSchemas, options);
  const shared = JSON.stringify(externalSchemas);
  const serializers: Serializers = made.get(shared) ?? new Map();
  made.set(shared, serializers);
  return (route) => {
    const schema = JSON.stringify(route.schema);
    let serialize: ReturnType<typeof compile> | undefined;
    return (answer) => {
      serialize ??= serializers.get(schema) ?? compile(route);
      serializers.set(schema, serialize);
      return serialize(answer);
    };
  };
};

export const compilersAtFirstUse = { buildValidator, buildSerializer };
