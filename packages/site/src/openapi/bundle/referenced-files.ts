import { dirname, normalize } from 'node:path/posix';
import { formatBytes } from '@petstore/service/text.ts';
import type { BuildProblem } from '../../build-log.ts';
import { decodeUri } from '../../syntax/decode-uri.ts';
import { fromPointer, type Source, toPointer, valueAt } from '../../syntax/source.ts';
import { isObject } from '../openapi-types.ts';
import { readSource } from '../read-document.ts';
import { nearTarget } from '../references.ts';

/** A file and its path, as the archive writes it. */
interface FoundFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The files among which references are resolved. */
export interface FileFinder {
  /** The file at a path from the root, `paths/pets.yaml`; undefined where there is none. */
  find(path: string): FoundFile | undefined;
  /** All files that may be named by an `$id`; none where they are not known. */
  all(): Iterable<FoundFile>;
  /** How many bytes a document may have with all files that it refers to. */
  readonly mostBytes: number;
}

/** A place in a file. */
export interface Place {
  readonly file: string;
  /** A JSON pointer. */
  readonly pointer: string;
}

/** Where a reference leads: through other references, to something that is none. */
export interface Target {
  /** Where the reference itself leads. */
  readonly first: Place;
  readonly place: Place;
  readonly value: unknown;
}

/** Why a reference leads to nothing. */
export interface Missing {
  readonly message: string;
  /** The reference that is wrong: the given one, or one on the way. */
  readonly at: Place;
  readonly hint?: () => string | undefined;
  /** Said of the file already. */
  readonly isTold?: true;
}

/** A file that cannot be read, and why. */
export interface BrokenFile extends BuildProblem {
  readonly file: string;
}

/** Files together are larger than a document may be. The message is for the author. */
export class TooLargeError extends Error {}

/** References on the way to a value. A circle of them has no end. */
const MAX_HOPS = 50;

/** Stands for where files are, which nobody knows: what they call themselves may be relative to it. */
const UNKNOWN = 'https://document.invalid/';

/** Text that may stand in place of a description. */
const TEXT_FILE = /\.(?:md|mdx|markdown|txt)$/i;

const OTHER_FILE = /\.(?:png|jpe?g|gif|svg|webp|ico|pdf|zip|gz|html?|css|js|ts|woff2?)$/i;

/** Reads the files that a document refers to, each once, and follows references among them. */
export class ReferencedFiles {
  /** Those that could not be read. */
  readonly broken: BrokenFile[] = [];
  /** References to files whose names have other capital letters. */
  readonly misspelt: { readonly at: Place; readonly written: string; readonly path: string }[] = [];
  /** Those that were read, without the document, by path; undefined for a broken one. */
  readonly read = new Map<string, Source | undefined>();
  /** Bytes of all files, with the document. */
  bytes: number;
  readonly #finder: FileFinder;
  readonly #root: { readonly file: string; readonly source: Source };
  readonly #targets = new Map<string, Target>();
  readonly #anchors = new Map<string, Map<string, string>>();
  #ids: Map<string, Place> | undefined;

  /** `file`: the document's path, of `bytes` bytes. */
  constructor(finder: FileFinder, file: string, source: Source, bytes: number) {
    this.#finder = finder;
    this.#root = { file, source };
    this.bytes = bytes;
  }

  /** A file that was read. */
  source(file: string): Source | undefined {
    return file === this.#root.file ? this.#root.source : this.read.get(file);
  }

  /** Follows the `$ref` at a place to its end. */
  resolve(at: Place, reference: string, left = MAX_HOPS): Target | Missing {
    // Without what is known already, references through each other would be followed an exponential number of times.
    const key = `${at.file}#${reference}`;
    const known = this.#targets.get(key);
    if (known) return known;
    const target = this.#follow(at, reference, left);
    if (!('message' in target)) this.#targets.set(key, target);
    return target;
  }

  #follow(at: Place, reference: string, left: number): Target | Missing {
    const first = this.#locate(at, reference, left);
    if ('message' in first) return first;
    const { value } = first;
    if (!isObject(value) || typeof value.$ref !== 'string' || Object.keys(value).length > 1)
      return { first: first.place, ...first };
    if (left === 0)
      return { at, message: `\`${reference}\` is a circular reference: it leads to nothing.` };
    const rest = this.resolve(refOf(first.place), value.$ref, left - 1);
    return 'message' in rest ? rest : { ...rest, first: first.place };
  }

  #locate(
    at: Place,
    reference: string,
    left: number,
  ): { readonly place: Place; readonly value: unknown } | Missing {
    const missing = (message: string, hint?: Missing['hint']) => ({
      ...{ at, message },
      ...(hint && { hint }),
    });
    const [address = '', ...rest] = reference.split('#');
    const fragment = decodeUri(rest.join('#'));
    const base = address === '' ? { file: at.file, pointer: '' } : this.#address(at, address);
    if ('message' in base) return base;
    const source = this.#open(base.file);
    if (!source) return { at, isTold: true, message: `\`${base.file}\` cannot be read.` };
    const inFile = base.file === this.#root.file ? 'this document' : `\`${base.file}\``;
    let pointer = fragment;
    if (!/^(?:\/|$)/.test(fragment)) {
      const named = this.#anchorsOf(base.file, source).get(fragment);
      if (named === undefined) return missing(`There is no \`#${fragment}\` in ${inFile}.`);
      pointer = named;
    }
    let place: Place = { file: base.file, pointer: base.pointer };
    let value = valueAt(source.value, fromPointer(base.pointer));
    for (const token of fromPointer(pointer)) {
      if (isObject(value) && !Object.hasOwn(value, token) && typeof value.$ref === 'string') {
        if (left === 0)
          return missing(`\`${reference}\` is a circular reference: it leads to nothing.`);
        const through = this.resolve(refOf(place), value.$ref, left - 1);
        if ('message' in through) return through;
        ({ place, value } = through);
      }
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) {
        return missing(`There is no \`#${fragment}\` in ${inFile}.`, () =>
          isObject(source.value) ? nearTarget(source.value, `#${fragment}`) : undefined,
        );
      }
      value = (value as Record<string, unknown>)[token];
      place = { file: place.file, pointer: `${place.pointer}${toPointer([token])}` };
    }
    return { place, value };
  }

  /** The file, or the part of one, that the address of a reference names. */
  #address(at: Place, address: string): Place | Missing {
    const found = this.#find(at.file, address);
    if (typeof found === 'object') {
      const { path, isMisspelt } = found;
      if (isMisspelt) this.misspelt.push({ at, written: address, path });
      return { file: path, pointer: '' };
    }
    const named = this.#identified(at.file, address);
    if (named) return named;
    const message = {
      absent: `There is no file \`${address}\` among the files that were sent. Put it there, or correct the reference.`,
      outside: `\`${address}\` leads out of the folder that was sent. Deploy a folder that has this file in it, too.`,
      absolute: `\`${address}\` is not a relative path. Refer to the file by its path from this one, such as \`./models/pet.yaml\`.`,
      host: `\`${address}\` is on another host, and nothing is fetched from there. Download it into the folder of the document, and refer to it by its path, such as \`./models/pet.yaml\`.`,
    }[found];
    return { at, message };
  }

  #find(
    from: string,
    address: string,
  ): { path: string; isMisspelt: boolean } | 'absent' | 'outside' | 'absolute' | 'host' {
    if (/^(?:[a-z]:)?[\\/](?![\\/])|^file:/i.test(address)) return 'absolute';
    if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(address)) return 'host';
    for (const written of new Set([decodeUri(address), address])) {
      const path = joined(from, written);
      if (path === undefined) return 'outside';
      if (path === this.#root.file) return { path, isMisspelt: false };
      const found = this.#finder.find(path);
      if (found) return { path: found.path, isMisspelt: found.path !== path };
    }
    return 'absent';
  }

  /** The source of a file; undefined where it cannot be read. */
  #open(file: string): Source | undefined {
    if (file === this.#root.file) return this.#root.source;
    if (this.read.has(file)) return this.read.get(file);
    const bytes = this.#finder.find(file)?.bytes ?? new Uint8Array();
    this.bytes += bytes.length;
    if (this.bytes > this.#finder.mostBytes)
      throw new TooLargeError(
        `The document has more than the ${formatBytes(this.#finder.mostBytes)} that one may have, together with the files that it refers to. The operator of the service sets the limit (DASHBOARD_MAX_UPLOAD_BYTES).`,
      );
    const source = sourceOf(bytes, file);
    if ('problem' in source) this.broken.push({ ...source.problem, file });
    const read = 'problem' in source ? undefined : source;
    this.read.set(file, read);
    return read;
  }

  /** What `$id`, and `$self` of a document, call by an address of their own. */
  #identified(file: string, address: string): Place | undefined {
    const source = this.source(file)?.value;
    const own = isObject(source) ? (source.$id ?? source.$self) : undefined;
    const base =
      typeof own === 'string' && URL.canParse(own, UNKNOWN)
        ? new URL(own, UNKNOWN).href
        : undefined;
    if (!URL.canParse(address, base)) return undefined;
    this.#ids ??= this.#readIds();
    return this.#ids.get(new URL(address, base).href);
  }

  /** Only files that have such a member are read, and only where a reference leads to no path. */
  #readIds(): Map<string, Place> {
    const ids = new Map<string, Place>();
    const named = [...this.#finder.all()].filter(mayHaveId).map(({ path }) => path);
    for (const file of new Set([this.#root.file, ...named])) {
      const source = this.#open(file);
      if (!source) continue;
      forEachId(source.value, (id, pointer) => ids.set(id, { file, pointer }));
    }
    return ids;
  }

  /** `$anchor`s by name, each with its pointer. */
  #anchorsOf(file: string, { value }: Source): Map<string, string> {
    const known = this.#anchors.get(file);
    if (known) return known;
    const anchors = new Map<string, string>();
    const visit = (value: unknown, pointer: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { $anchor, $dynamicAnchor, $id } = value as Record<string, unknown>;
      for (const name of [$anchor, $dynamicAnchor])
        if (typeof name === 'string') anchors.set(name, pointer);
      // Until draft 7 of JSON Schema.
      if (typeof $id === 'string' && $id.startsWith('#')) anchors.set($id.slice(1), pointer);
      for (const [name, member] of Object.entries(value))
        visit(member, `${pointer}${toPointer([name])}`);
    };
    visit(value, '');
    this.#anchors.set(file, anchors);
    return anchors;
  }
}

/** The place of the `$ref` of the object at a place. */
const refOf = ({ file, pointer }: Place): Place => ({ file, pointer: `${pointer}/$ref` });

/** A path, as it is written in a file, from the root; undefined where it leads out of it. */
function joined(from: string, written: string): string | undefined {
  // Some authors write paths as Windows does.
  const path = normalize(`${dirname(from)}/${written.replaceAll('\\', '/')}`).normalize('NFC');
  return path === '..' || path.startsWith('../') ? undefined : path;
}

/** What a file has: text as it is, or a value in YAML or JSON. */
function sourceOf(bytes: Uint8Array, file: string): ReturnType<typeof readSource> {
  if (OTHER_FILE.test(file)) {
    const message = 'A reference leads to this file, which has neither YAML nor JSON.';
    return { problem: { message, path: '', line: null } };
  }
  if (!TEXT_FILE.test(file)) return readSource(bytes, file);
  return { syntax: 'YAML', value: new TextDecoder().decode(bytes), lineOf: () => 1 };
}

const mayHaveId = ({ path, bytes }: FoundFile): boolean =>
  /\.(?:ya?ml|json)$/i.test(path) &&
  ['$id', '$self'].some((name) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(name),
  );

/** Visits the addresses that a value and its parts call themselves by, each without its fragment. */
function forEachId(root: unknown, tell: (id: string, pointer: string) => void): void {
  const visit = (value: unknown, pointer: string, base: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $id, $self } = value as Record<string, unknown>;
    const own = pointer === '' ? ($id ?? $self) : $id;
    const id =
      typeof own === 'string' && URL.canParse(own, base)
        ? new URL(own, base).href.replace(/#$/, '')
        : undefined;
    if (id !== undefined) tell(id, pointer);
    for (const [name, member] of Object.entries(value))
      visit(member, `${pointer}${toPointer([name])}`, id ?? base);
  };
  visit(root, '', UNKNOWN);
}
