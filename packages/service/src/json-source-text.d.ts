// JSON.parse with source text access and JSON.rawJSON (ECMAScript 2026), which the runtime has and
// the compiler's library does not list yet.
interface JSON {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
}
