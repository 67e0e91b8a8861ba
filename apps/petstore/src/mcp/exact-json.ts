/**
 * Parses JSON whose numbers keep their digits: one that a JS number would round, or would write differently, becomes
 * raw JSON, which JSON.stringify writes as it came. Throws SyntaxError.
 */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (_name, value, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? JSON.rawJSON(source)
      : value,
  );
}

/**
 * The message in a text. The arguments of a tool keep all digits of their numbers; what the protocol itself has, such as
 * the message's id, is as JSON.parse reads it. Throws SyntaxError.
 */
export function parseMessage(text: string): unknown {
  const message = JSON.parse(text) as { params?: { arguments?: unknown } } | null;
  if (typeof message?.params?.arguments !== 'object') return message;
  const exact = parseExact(text) as { params: { arguments: unknown } };
  message.params.arguments = exact.params.arguments;
  return message;
}

/** The text of a string, number or boolean as JSON and URLs have it; undefined for any other value. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return JSON.isRawJSON(value) ? (value as { rawJSON: string }).rawJSON : undefined;
}
