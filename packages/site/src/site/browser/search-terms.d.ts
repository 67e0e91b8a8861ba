export function fold(text: string): string;
export function indexTerms(text: string): string[];
export function queryTerms(query: string): string[];
export const INDEX_OPTIONS: {
  fields: string[];
  storeFields: string[];
  tokenize: (text: string) => string[];
  processTerm: (term: string) => string;
};
