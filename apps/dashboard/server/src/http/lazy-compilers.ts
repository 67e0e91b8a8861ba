import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { AjvCompiler } from '@fastify/ajv-compiler';
import type { SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler';

// Fastify's own validators and serializers, each compiled with the first request for its operation. To compile those of
// all operations would take most of the time of a start, and a process may never need most of them. The compilers are
// loaded then, too: a hundred modules, at once, since Fastify waits for no promise there.

const require = createRequire(import.meta.url);

type BuildValidators = ReturnType<typeof AjvCompiler>;
type CompileValidator = ReturnType<BuildValidators>;
type CompileSerializer = ReturnType<SerializerFactory>;

let validatorBuilder: BuildValidators | undefined;
let serializerBuilder: SerializerFactory | undefined;

const buildValidators: BuildValidators = (...args) => {
  validatorBuilder ??= (
    require('@fastify/ajv-compiler') as { AjvCompiler: typeof AjvCompiler }
  ).AjvCompiler();
  return validatorBuilder(...args);
};

const buildSerializers: SerializerFactory = (...args) => {
  serializerBuilder ??= (
    require('@fastify/fast-json-stringify-compiler') as {
      SerializerSelector: typeof SerializerSelector;
    }
  ).SerializerSelector();
  return serializerBuilder(...args);
};

const validators = new Map<string, ReturnType<CompileValidator>>();
const serializers = new Map<string, ReturnType<CompileSerializer>>();

const buildValidator: BuildValidators = (externalSchemas, options) => {
  // Begun only for what was not compiled before: it writes all schemas to find its own.
  const find = finder(validators, externalSchemas, options?.customOptions, () =>
    buildValidators(externalSchemas, options),
  );
  return (route) => {
    let compiled: ReturnType<CompileValidator> | undefined;
    const validate = (input: unknown) => {
      compiled ??= find(route);
      const isValid = compiled(input);
      // The member in which Fastify looks for validation errors.
      Object.assign(validate, { errors: compiled.errors });
      return isValid;
    };
    return validate as ReturnType<CompileValidator>;
  };
};

const buildSerializer: SerializerFactory = (externalSchemas, options) => {
  const find = finder(serializers, externalSchemas, options, () =>
    buildSerializers(externalSchemas, options),
  );
  return (route) => {
    let serialize: ReturnType<CompileSerializer> | undefined;
    return (response) => {
      serialize ??= find(route);
      return serialize(response);
    };
  };
};

export const lazyCompilers = { buildValidator, buildSerializer };

/**
 * Finds what was compiled for an equal schema, or compiles it: many operations have the same parameters and responses.
 * `begin` begins to compile with these options and the schemas that may be referred to.
 */
function finder<Route, Compiled>(
  made: Map<string, Compiled>,
  externalSchemas: unknown,
  options: unknown,
  begin: () => (route: Route) => Compiled,
): (route: Route) => Compiled {
  let shared: string | undefined;
  let compile: ((route: Route) => Compiled) | undefined;
  return (route) => {
    shared ??= JSON.stringify(options) + digestOf(externalSchemas as Record<string, object>);
    // The types of validators have it otherwise than what Fastify gives.
    const key = shared + JSON.stringify((route as { readonly schema?: unknown }).schema);
    const known = made.get(key);
    if (known) return known;
    compile ??= begin();
    const compiled = compile(route);
    made.set(key, compiled);
    return compiled;
  };
}

/** Of single schemas: each group of routes has the same ones, in an object of its own. */
const digests = new WeakMap<object, string>();

function digestOf(schemas: Readonly<Record<string, object>>): string {
  const each = Object.values(schemas).map((schema) => {
    const digest = digests.get(schema) ?? hash('sha256', JSON.stringify(schema));
    digests.set(schema, digest);
    return digest;
  });
  return hash('sha256', each.join());
}
