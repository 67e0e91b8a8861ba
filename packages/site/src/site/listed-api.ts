/** Where a site that lists its APIs says which documents they have. */
export const APIS_PATH = '/_site/apis.json';

/** An API of that file, which is a list of them. */
export interface ListedApi {
  /** `payments`, of `/reference/payments`. */
  readonly address: string;
  readonly title: string;
  /** The path of its document, as JSON. */
  readonly document: string;
}
