import { createRequire } from 'node:module';
import type { AjvCompiler } from '@fastify/ajv-compiler';
import type { SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler';

// Fastify's own validators and serializers, each compiled when its operation is first asked for: most of the time
// of a start would go into those of all operations, of which a process may never need the greater part. What
// compiles them is loaded then, too, and required rather than imported, since Fastify does not wait.

const load = createRequire(import.meta.url);

const buildValidators = once(() => {
  const compiler: { AjvCompiler: typeof AjvCompiler } = load('@fastify/ajv-compiler');
  return compiler.AjvCompiler();
});
const buildSerializers = once(() => {
  const compiler: { SerializerSelector: typeof SerializerSelector } = load(
    '@fastify/fast-json-stringify-compiler',
  );
  return compiler.SerializerSelector();
});

type Validators = ReturnType<typeof AjvCompiler>;

const buildValidator: Validators = (externalSchemas, options) => {
  const compile = once(() => buildValidators()(externalSchemas, options));
  return (route) => {
    const compiled = once(() => compile()(route));
    const validate = (input: unknown) => {
      const isValid = compiled()(input);
      // Where Fastify looks for what is wrong.
      Object.assign(validate, { errors: compiled().errors });
      return isValid;
    };
    return validate as ReturnType<ReturnType<Validators>>;
  };
};

const buildSerializer: SerializerFactory = (externalSchemas, options) => {
  const compile = once(() => buildSerializers()(externalSchemas, options));
  return (route) => {
    const serialize = once(() => compile()(route));
    return (answer) => serialize()(answer);
  };
};

export const compilersAtFirstUse = { buildValidator, buildSerializer };

/** The same at each call, made at the first. */
function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}
