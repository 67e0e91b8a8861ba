import type { Machine } from '../machine.ts';
import type { Section } from '../report.ts';
import { precise, whole } from '../table.ts';
import type { DeployedFolder } from './large-folders.ts';

/** A document as the dashboard published it. */
export interface PublishedDocument {
  readonly name: string;
  /** `OpenAPI 3.0.3`. */
  readonly version: string;
  /** Its own, and of all files that it refers to, of 1,000,000 bytes. */
  readonly megabytes: number;
  /** How many files it consists of. */
  readonly files: number;
  readonly operations: number;
  /** From the beginning of the build to its end. */
  readonly seconds: number;
  readonly peakMiB: number;
  readonly warnings: number;
  readonly hints: number;
  /** Why it was refused; empty where it was published. */
  readonly refusal: string;
}

export interface DocumentsPublished {
  readonly machine: Machine;
  readonly documents: readonly PublishedDocument[];
  /** Absent from results of earlier versions. */
  readonly folders?: readonly DeployedFolder[];
}

export function documentsSection({ documents, folders = [] }: DocumentsPublished): Section {
  const head = ['document', 'version', 'files', 'MB', 'operations', 'built in s'];
  head.push('peak MiB', 'warnings', 'hints');
  const rows = documents.map((one) => [
    one.refusal === '' ? one.name : `${one.name}: **refused**, ${one.refusal}`,
    one.version,
    whole(one.files),
    precise(one.megabytes),
    whole(one.operations),
    precise(one.seconds),
    whole(one.peakMiB),
    whole(one.warnings),
    whole(one.hints),
  ]);
  const tables = [{ head, rows }, ...(folders.length > 0 ? [foldersTable(folders)] : [])];
  return { extent: 'each published once', isShort: false, tables };
}

function foldersTable(folders: readonly DeployedFolder[]) {
  const head = ['folder', 'files', 'live after s', 'of that the build', 'peak MiB'];
  const rows = folders.map(({ name, files, seconds, built, peakMiB }) => [
    name,
    ...[whole(files), precise(seconds), precise(built), whole(peakMiB)],
  ]);
  return { head, rows };
}
