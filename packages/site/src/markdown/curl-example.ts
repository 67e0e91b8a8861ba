import type { FoundOperation } from '../openapi/operations.ts';
import { operationData } from '../reference/operation-data.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { codeSample } from '../samples/sample-request.ts';
import type { PageBudget } from './schema-markdown.ts';

/** A command that sends an example of the operation's request. It counts against `room`; a long body is a file. */
export function curlExample(
  context: ReferenceContext,
  found: FoundOperation,
  room: PageBudget,
): string {
  const data = operationData(context, found);
  const whole = codeSample(data);
  const content = data.body?.content.map(({ example, ...media }) => media) ?? [];
  const text = whole.length > room.left ? codeSample({ ...data, body: { content } }) : whole;
  room.left -= text.length;
  return text;
}
