import type { FastifyRequest, preHandlerAsyncHookHandler } from 'fastify';
import { decodeCursor } from '../../http/pages.ts';
import type { ReportStore } from '../../store/contract/report-store.ts';
import { challengeOf } from './challenges.ts';

/** Does what others do in the sandbox of a challenge, before a page of its animals is read. */
export function othersAtWork(reports: ReportStore): preHandlerAsyncHookHandler {
  return async function workOfOthers(request) {
    const sandbox = request.apiKey?.sandbox;
    const after = sandbox && pageOf(request);
    if (!sandbox || after === undefined) return;
    const run = await reports.run(sandbox.id);
    if (!run || run.endedAt !== undefined) return;
    await challengeOf(run.code).beforePage?.(request.store, after);
  };
}

/** The id behind which the page of a list of animals begins; undefined for the first page, and for any other request. */
function pageOf({ route, query }: FastifyRequest): bigint | undefined {
  const { operationId } = (route.schema ?? {}) as { operationId?: string };
  const { cursor } = (query ?? {}) as { cursor?: string };
  return operationId === 'listPets' && cursor !== undefined ? decodeCursor(cursor) : undefined;
}
