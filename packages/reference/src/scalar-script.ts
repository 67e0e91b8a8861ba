let script: Promise<string> | undefined;

/**
 * The program that draws the reference in the browser (4.3 MB), out of the package that serves it. Loaded
 * when it is first asked for: most processes never are.
 */
export function scalarScript(): Promise<string> {
  script ??= load();
  return script;
}

async function load(): Promise<string> {
  // The package hands the script out over a route of its own and in no other way.
  const { default: Fastify } = await import('fastify');
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  await app.register(scalar, { routePrefix: '/reference', configuration: { url: '/' } });
  const { payload } = await app.inject('/reference/js/scalar.js');
  await app.close();
  return (
    payload
      .replace(/\n\/\/# sourceMappingURL=.*$/, '')
      // It would describe as “Integer numbers.” each integer of which a document says no more.
      .replace('_default:`Integer numbers.`', '_default:``')
  );
}
