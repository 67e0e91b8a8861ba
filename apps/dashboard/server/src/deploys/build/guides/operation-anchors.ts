import type { CheckedDocument } from '../openapi-types.ts';

/** Where operations are in the reference, by `operationId` and by the id that their Markdown has. */
export function operationAnchors({
  upgraded,
  operations,
}: CheckedDocument): ReadonlyMap<string, string> {
  const anchors = new Map<string, string>();
  for (const { id, method, path, anchor, isWebhook } of operations) {
    anchors.set(id, anchor);
    if (isWebhook) continue;
    const operationId = member(
      member(member(upgraded.paths, path), method.toLowerCase()),
      'operationId',
    );
    if (typeof operationId === 'string') anchors.set(operationId, anchor);
  }
  return anchors;
}

function member(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isObject ? (value as Record<string, unknown>)[name] : undefined;
}
