/** Keeps secrets that the database holds from whoever reads the database alone. */
export interface Sealer {
  /** `context`: what the secret belongs to, such as `certificate dom_…`; opening it asks for the same. */
  seal(secret: string, context: string): string;
  /** Throws where the text was sealed with another key or for another context, or is damaged. */
  open(sealed: string, context: string): string;
}
