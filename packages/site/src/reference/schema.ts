/** A schema as it stands in a document: JSON Schema 2020-12 (OpenAPI 3.1). */
export type Schema = Readonly<Record<string, unknown>>;
