import type { FastifyRequest } from 'fastify';

/** The parameters that are integers; what is no canonical decimal stays text, which the schema refuses. */
const NAMES = ['limit'];

/** Query values arrive as text, and schemas are strict: reads the integers among them. */
export async function readQueryIntegers(request: FastifyRequest): Promise<void> {
  const query = request.query as Record<string, unknown>;
  for (const name of NAMES) {
    const value = query[name];
    if (typeof value === 'string' && /^(0|[1-9][0-9]{0,8})$/.test(value))
      query[name] = Number(value);
  }
}
