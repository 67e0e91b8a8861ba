import { curlCommand } from '../request/curl.ts';
import type { OperationData } from '../request/operation-data.ts';
import { sampleRequest } from '../samples/sample-request.ts';

/** The command that sends an operation's example, for the page as it is built. Browsers make the other languages. */
export function codeSample(data: OperationData): string {
  return curlCommand(sampleRequest(data));
}
