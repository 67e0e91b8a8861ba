/** HTTP/2 has no words for a status: https://www.iana.org/assignments/http-status-codes. */
const WORDS: ReadonlyMap<number, string> = new Map([
  [200, 'OK'],
  [201, 'Created'],
  [202, 'Accepted'],
  [204, 'No Content'],
  [206, 'Partial Content'],
  [207, 'Multi-Status'],
  [304, 'Not Modified'],
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [402, 'Payment Required'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [406, 'Not Acceptable'],
  [408, 'Request Timeout'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [412, 'Precondition Failed'],
  [413, 'Content Too Large'],
  [415, 'Unsupported Media Type'],
  [422, 'Unprocessable Content'],
  [423, 'Locked'],
  [428, 'Precondition Required'],
  [429, 'Too Many Requests'],
  [500, 'Internal Server Error'],
  [501, 'Not Implemented'],
  [502, 'Bad Gateway'],
  [503, 'Service Unavailable'],
  [504, 'Gateway Timeout'],
]);

/** The words of a response's status; empty where it has none. */
export const statusWords = ({
  status,
  statusText,
}: Pick<Response, 'status' | 'statusText'>): string => statusText || (WORDS.get(status) ?? '');
