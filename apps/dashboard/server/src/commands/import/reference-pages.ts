import { basename } from 'node:path';
import { archiveFiles } from '@petstore/site/openapi/bundle/archive-files.ts';
import { readCheckedDocument } from '@petstore/site/openapi/checked-document.ts';
import {
  referenceAddresses,
  referencePath,
  referencePaths,
} from '@petstore/site/reference/addresses.ts';
import { DEPLOY_LIMITS } from '../../deploys/deploy-limits.ts';
import { documentAddresses } from './document-addresses.ts';
import type { ImportedDocument } from './imported-site.ts';
import type { SourceFolder } from './source-folder.ts';

/** The pages that a site's references will have, to lead to them from where another product had them. */
export interface ReferencePages {
  /** Every page. */
  readonly paths: ReadonlySet<string>;
  /**
   * The page of `GET /pets` (of a webhook `WEBHOOK name`), however its method is written: in the document that is named,
   * or else in the first one that has it.
   */
  operation(written: string, document?: string): ReferencePage | undefined;
  /** The page of the operation with this `operationId`, or of one without an id with that which ReadMe gives it. */
  operationById(id: string, document?: string): ReferencePage | undefined;
  model(name: string): ReferencePage | undefined;
  /** All operations of a document, in its order, without its webhooks. */
  operationsOf(document: string): readonly OperationOfReference[];
}

/** What a reference says of an operation. */
interface OperationOfReference {
  readonly page: ReferencePage;
  /** The tag whose page lists it; undefined for none. */
  readonly tag: string | undefined;
  /** Undefined for none. */
  readonly summary: string | undefined;
}

export interface ReferencePage {
  readonly path: string;
  readonly title: string;
  /** The document, a file of the folder. */
  readonly file: string;
  /** How links and components name it: `listPets`, or `payments/listPets` where there are several documents. */
  readonly id: string;
}

interface Found extends OperationOfReference {
  readonly isWebhook: boolean;
  readonly key: string;
  readonly id: string;
}

/** Reads documents of the folder, with the files that they refer to; one that cannot be read has no pages. */
export async function readReferencePages(
  folder: SourceFolder,
  documents: readonly ImportedDocument[],
): Promise<ReferencePages> {
  const files = documents.length === 0 ? new Map() : await documentFiles(folder);
  const addresses = documentAddresses(documents);
  const paths = new Set<string>();
  const operations: Found[] = [];
  const models = new Map<string, ReferencePage>();
  for (const { file } of documents) {
    const checked = await readCheckedDocument(files.get(file) ?? new Uint8Array(), file, () => {}, {
      files: archiveFiles(files, DEPLOY_LIMITS.uploadBytes),
    });
    // The first deploy, or `dashboard dev`, says what is wrong.
    if ('problems' in checked) continue;
    const address = addresses.get(file);
    const reference = referenceAddresses(checked, referencePath(address), address);
    for (const path of referencePaths(reference)) paths.add(path);
    for (const operation of checked.operations) {
      const { isWebhook, method, path, title, operationId, tag } = operation;
      const id = named(address, (isWebhook ? '' : operationId) || operation.id);
      const page = { path: reference.operation(operation), title, file, id };
      // Without a summary the title is one of these two.
      const summary = [operationId, path].includes(title) ? undefined : title;
      const written = key(isWebhook ? 'WEBHOOK' : method, path);
      operations.push({ page, tag, summary, isWebhook, key: written, id: operationId });
    }
    for (const name of reference.models) {
      const path = reference.model(name);
      if (path !== undefined && !models.has(name))
        models.set(name, { path, title: name, file, id: named(address, name) });
    }
  }
  return {
    paths,
    operation: (text, document) => {
      const [, method = '', path = ''] = /^(\w+)\s+(.+)$/.exec(text.trim()) ?? [];
      const wanted = key(method, path);
      return pageOf(
        operations.filter((one) => one.key === wanted),
        document,
      );
    },
    operationById: (id, document) =>
      pageOf(
        operations.filter((one) => (one.id || idOf(one.key)) === id),
        document,
      ),
    model: (name) => models.get(name),
    operationsOf: (document) =>
      operations.filter(({ page, isWebhook }) => page.file === document && !isWebhook),
  };
}

const named = (address: string | undefined, id: string) =>
  address === undefined ? id : `${address}/${id}`;

/** Of several documents' operations that of the named one, by its path or its name. */
const pageOf = (found: readonly Found[], document: string | undefined) =>
  (found.find(({ page: { file } }) => file === document || basename(file) === document) ?? found[0])
    ?.page;

async function documentFiles(folder: SourceFolder): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const encoder = new TextEncoder();
  for (const file of folder.files)
    if (/\.(?:json|ya?ml)$/i.test(file)) files.set(file, encoder.encode(await folder.read(file)));
  return files;
}

/** `get_v1-pets-id` for `GET /v1/pets/{id}`. */
const idOf = (written: string) => {
  const [method = '', path = ''] = written.toLowerCase().split(' ');
  return `${method}_${path.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')}`;
};

/** Other products take `/pets/` for `/pets`. */
const key = (method: string, path: string) => `${method.toUpperCase()} ${path.replace(/\/$/, '')}`;
