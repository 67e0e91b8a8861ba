import { hash } from 'node:crypto';
import { AjvCompiler } from '@fastify/ajv-compiler';
import { type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler';

// Fastify's own validators and serializers, each compiled with the first request for its operation. To compile those of
// all operations would take most of the time of a start, and a process may never need most of them.

const buildValidators = AjvCompiler();
const buildSerializers = SerializerSelector();

const buildValidator: typeof buildValidators = (externalSchemas, options) => {
  const compile = buildValidators(externalSchemas, options);
  return (route) => {
    let compiled: ReturnType<typeof compile> | undefined;
    const validate = (input: unknown) => {
      compiled ??= compile(route);
      const isValid = compiled(input);
      // The member in which Fastify looks for validation errors.
      Object.assign(validate, { errors: compiled.errors });
      return isValid;
    };
    return validate as ReturnType<typeof compile>;
  };
};

/** By the schemas that may be referred to, and the schema itself: many operations have the same response. */
const made = new Map<string, ReturnType<ReturnType<SerializerFactory>>>();

const buildSerializer: SerializerFactory = (externalSchemas, options) => {
  const compile = buildSerializers(externalSchemas, options);
  let shared: string | undefined;
  const find = (route: Parameters<typeof compile>[0]) => {
    shared ??= hash('sha256', JSON.stringify(externalSchemas));
    const key = shared + JSON.stringify(route.schema);
    const serialize = made.get(key) ?? compile(route);
    made.set(key, serialize);
    return serialize;
  };
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined;
    return (response) => {
      serialize ??= find(route);
      return serialize(response);
    };
  };
};

export const lazyCompilers = { buildValidator, buildSerializer };
