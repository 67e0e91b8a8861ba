import type { BuildProblem } from '../../build-log.ts';
import { decodeUri } from '../../syntax/decode-uri.ts';
import { fromPointer, MAX_DEPTH, toPointer, valueAt } from '../../syntax/source.ts';
import type { DocumentFinding } from '../document-finding.ts';
import { type FoundPlace, isObject, type OpenApiDocument, type PlaceOf } from '../openapi-types.ts';
import { type ReadDocument, typeNameOf } from '../read-document.ts';
import { ComponentNames } from './component-names.ts';
import { type Kind, memberShape, one, type Shape, sectionOf, sectionsOf } from './kinds.ts';
import {
  type FileFinder,
  type Missing,
  type Place,
  ReferencedFiles,
  type Target,
  TooLargeError,
} from './referenced-files.ts';

/** One document that was made of several files. */
export interface BundledDocument {
  readonly document: OpenApiDocument;
  /** Where a place of the document, a JSON pointer, is in its file. */
  readonly placeOf: PlaceOf;
  /** What is wrong with references, and with the files that they lead to. */
  readonly findings: readonly DocumentFinding[];
  /** The pointers of references that lead to nothing, which the findings tell. */
  readonly told: ReadonlySet<string>;
  /** The files, without the document itself, that were read, and how many bytes all have. */
  readonly files: readonly string[];
  readonly bytes: number;
}

/** The most objects and arrays that are put in place of references: files may contain each other many times. */
const MAX_OBJECTS = 1_000_000;

/**
 * Makes one document of the file `file` and all that it refers to among the files of `finder`. What is referred to
 * becomes a shared component, where the specification has some for its kind, and is put in place of the reference
 * otherwise. References that lead to nothing stay.
 */
export function bundleDocument(
  read: ReadDocument,
  { file, bytes }: { readonly file: string; readonly bytes: number },
  finder: FileFinder,
): BundledDocument | { readonly problem: BuildProblem } {
  const files = new ReferencedFiles(finder, file, read, bytes);
  try {
    return new Bundler(files, read.value, file).bundle();
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
    return { problem: { message: error.message, path: '', line: null } };
  }
}

/** A reference to another file, which is hardly meant as data. */
const FILE_REFERENCE = /^[^#:]+\.(?:ya?ml|json)(?:#|$)/i;

/** Data that pages show. */
const SHOWN_DATA: ReadonlySet<string> = new Set(['example', 'value', 'dataValue']);

/** A component whose place in the document is known, and that is to be put there. */
interface Waiting {
  readonly section: string;
  readonly name: string;
  readonly kind: Kind;
  readonly target: Target;
}

class Bundler {
  readonly #files: ReferencedFiles;
  readonly #root: OpenApiDocument;
  readonly #file: string;
  readonly #isSwagger: boolean;
  readonly #names = new ComponentNames();
  /** Pointers of components by what they are made of. */
  readonly #components = new Map<string, string>();
  readonly #waiting: Waiting[] = [];
  /** Pointers of the document at which another place begins. */
  readonly #origins = new Map<string, Place>();
  /** What is being put in place of references, and where it was. */
  readonly #open = new Map<string, string>();
  readonly #findings: DocumentFinding[] = [];
  readonly #told = new Set<string>();
  #document: OpenApiDocument = {};
  #objects = 0;
  #depth = 0;

  constructor(files: ReferencedFiles, root: OpenApiDocument, file: string) {
    this.#files = files;
    this.#root = root;
    this.#file = file;
    this.#isSwagger = root.swagger !== undefined;
  }

  bundle(): BundledDocument {
    this.#nameOwnComponents();
    const start = { file: this.#file, pointer: '' };
    const document = this.#visit(this.#root, one('document'), start, '') as Record<string, unknown>;
    this.#document = document;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      this.#addComponent(document, next);
    this.#tellOfFiles();
    return {
      document,
      placeOf: (pointer) => this.#placeOf(pointer),
      findings: this.#findings,
      told: this.#told,
      files: [...this.#files.read.keys()],
      bytes: this.#files.bytes,
    };
  }

  #tellOfFiles(): void {
    for (const { file, path, line, message } of this.#files.broken) {
      const place = { file, pointer: path, line };
      this.#findings.push({ rule: 'structure', message, path: '', place });
    }
    for (const { at, written, path } of this.#files.misspelt) {
      const message = `\`${written}\` is called \`${path}\`: elsewhere capital and small letters are not the same. Write it as it is called.`;
      this.#findings.push({ rule: 'missing-reference', message, path: '', place: this.#lined(at) });
    }
  }

  /** Components that the document has, wherever they are, keep their names. */
  #nameOwnComponents(): void {
    const { parent, kinds } = sectionsOf(this.#isSwagger);
    const start = { file: this.#file, pointer: '' };
    const holder = this.#end({ place: start, value: this.#root }, ...parent);
    for (const [section, kind] of Object.entries(kinds)) {
      const found = holder && this.#end(holder, section);
      if (!found || !isObject(found.value)) continue;
      for (const name of Object.keys(found.value)) {
        this.#names.take(section, name);
        const own = this.#end(found, name);
        if (!own || own.place.file === this.#file) continue;
        const key = keyOf(kind, own.place);
        if (!this.#components.has(key))
          this.#components.set(key, toPointer([...parent, section, name]));
      }
    }
  }

  /** A member of a member …, behind references. */
  #end(
    from: { readonly place: Place; readonly value: unknown },
    ...names: string[]
  ): { readonly place: Place; readonly value: unknown } | undefined {
    let { place, value } = from;
    for (const name of names) {
      if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
      value = value[name];
      place = inside(place, name);
      if (!isReference(value) || Object.keys(value).length > 1) continue;
      const found = this.#files.resolve(inside(place, '$ref'), value.$ref);
      if ('message' in found) return undefined;
      ({ place, value } = found);
    }
    return { place, value };
  }

  /** A copy of a value that stands at a place of a file, for the pointer `at` of the document. */
  #visit(value: unknown, shape: Shape, from: Place, at: string): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (shape.kind === 'data') return this.#data(value, at);
    this.#depth += 1;
    this.#refuseTooLarge();
    const made = this.#copy(value, shape, from, at);
    this.#depth -= 1;
    return made;
  }

  #refuseTooLarge(): void {
    // All else is there once, and as large as its file.
    if (this.#open.size > 0) this.#objects += 1;
    if (this.#objects > MAX_OBJECTS)
      throw new TooLargeError(
        'The files contain each other so often that the document becomes too large. Refer to shared schemas instead of whole parts.',
      );
    if (this.#depth > MAX_DEPTH)
      throw new TooLargeError(
        `With the files that it refers to the document has arrays and objects that lie more than ${MAX_DEPTH} deep in each other.`,
      );
  }

  #copy(value: object, shape: Shape, from: Place, at: string): unknown {
    if (Array.isArray(value))
      return value.map((item, index) =>
        this.#visit(item, shape, inside(from, index), inPointer(at, index)),
      );
    if (isReference(value)) return this.#reference(value, shape, from, at);
    return this.#members(value as Record<string, unknown>, shape, from, at);
  }

  #members(value: Record<string, unknown>, shape: Shape, from: Place, at: string): object {
    const { kind, isMap } = shape;
    const members = Object.entries(value).flatMap(([name, member]) => {
      // It would make the references in a schema that lies elsewhere now relative to itself.
      if (kind === 'schema' && !isMap && name === '$id' && from.file !== this.#file) return [];
      const of = isMap ? one(kind) : memberShape(kind, name);
      const made =
        kind === 'discriminator'
          ? this.#discriminatorMember(name, member, from, at)
          : this.#visit(member, of, inside(from, name), inPointer(at, name));
      return [[name, made]];
    });
    return Object.fromEntries(members);
  }

  /** Values of the author's stay as they are, even where they look like a reference. */
  #data(value: object, at: string): unknown {
    const name = fromPointer(at).at(-1) ?? '';
    if (!SHOWN_DATA.has(name) || !isReference(value) || Object.keys(value).length > 1) return value;
    if (!FILE_REFERENCE.test(value.$ref)) return value;
    this.#findings.push({
      rule: 'left-out',
      message: `\`${name}\` is data, in which nothing is a reference: readers see \`$ref: ${value.$ref}\` itself. Put the value in its place, or refer to an Example Object in \`examples\`.`,
      path: at,
    });
    return value;
  }

  #reference(value: Reference, shape: Shape, from: Place, at: string): unknown {
    const { $ref, ...rest } = value;
    const isOwn = from.file === this.#file && $ref.startsWith('#');
    const siblings = () => this.#members(rest, shape, from, at) as Record<string, unknown>;
    if (isOwn) return { $ref, ...siblings() };
    const refAt = inside(from, '$ref');
    const target = this.#files.resolve(refAt, $ref);
    const missing = 'message' in target ? target : this.#unfit(target, $ref, shape, refAt);
    if (missing) {
      this.#tell(missing, inPointer(at, '$ref'));
      // In the document it could lead to something else.
      return { $ref: $ref.startsWith('#') ? from.file + $ref : $ref, ...siblings() };
    }
    const { place, value: found } = target as Target;
    const section =
      shape.isMap || Array.isArray(found) ? undefined : sectionOf(shape.kind, this.#isSwagger);
    if (section === undefined) return this.#putInPlace(target as Target, rest, shape, from, at);
    const pointer =
      place.file === this.#file
        ? place.pointer
        : this.#componentFor(section, shape.kind, target as Target);
    if (pointer === at) return this.#putInPlace(target as Target, rest, shape, from, at);
    return { $ref: fragmentOf(pointer), ...siblings() };
  }

  /** The pointer of the component that a target is or becomes. */
  #componentFor(section: string, kind: Kind, target: Target): string {
    const key = keyOf(kind, target.place);
    const known = this.#components.get(key);
    if (known !== undefined) return known;
    const name = this.#names.nameFor(section, target.first);
    const pointer = toPointer([...sectionsOf(this.#isSwagger).parent, section, name]);
    this.#components.set(key, pointer);
    this.#waiting.push({ section, name, kind, target });
    return pointer;
  }

  #addComponent(document: Record<string, unknown>, { section, name, kind, target }: Waiting): void {
    const { parent } = sectionsOf(this.#isSwagger);
    let holder = document;
    for (const part of [...parent, section]) {
      if (!isObject(holder[part])) holder[part] = {};
      holder = holder[part] as Record<string, unknown>;
    }
    const at = toPointer([...parent, section, name]);
    this.#origins.set(at, target.place);
    holder[name] = this.#visit(target.value, one(kind), target.place, at);
  }

  /** What a reference leads to, with what stands beside the reference. */
  #putInPlace(
    { place, value }: Target,
    rest: Record<string, unknown>,
    shape: Shape,
    from: Place,
    at: string,
  ): unknown {
    const key = keyOf(shape.kind, place);
    const around = this.#open.get(key);
    // It contains itself: the reference leads to where it was put first.
    if (around !== undefined) return { $ref: fragmentOf(around), ...rest };
    this.#open.set(key, at);
    this.#origins.set(at, place);
    const made = this.#visit(value, shape, place, at);
    this.#open.delete(key);
    if (!isObject(made) || Object.keys(rest).length === 0) return made;
    const beside = this.#members(rest, shape, from, at);
    for (const name of Object.keys(rest))
      this.#origins.set(inPointer(at, name), inside(from, name));
    return { ...made, ...beside };
  }

  /** A discriminator's `mapping` has references, and names of schemas. */
  #discriminatorMember(name: string, member: unknown, from: Place, at: string): unknown {
    const mapped = (value: unknown, ...path: string[]) =>
      typeof value === 'string'
        ? this.#mapped(value, [...path].reduce(inside, from), [at, ...path].reduce(inPointer))
        : value;
    if (name === 'defaultMapping') return mapped(member, name);
    if (name !== 'mapping' || !isObject(member)) return member;
    return Object.fromEntries(
      Object.entries(member).map(([key, value]) => [key, mapped(value, name, key)]),
    );
  }

  #mapped(value: string, from: Place, at: string): string {
    const isOwn = from.file === this.#file;
    if (isOwn && value.startsWith('#')) return value;
    const isName = /^[\w.-]+$/.test(value);
    const section = this.#isSwagger ? 'definitions' : 'components/schemas';
    const candidates = isName ? [...(isOwn ? [] : [`#/${section}/${value}`]), value] : [value];
    const found = candidates.map((one) => this.#files.resolve(from, one));
    const target = found.find((one) => 'place' in one);
    if (target && 'place' in target && isObject(target.value)) {
      const { place } = target;
      const pointer =
        place.file === this.#file
          ? place.pointer
          : this.#componentFor(this.#isSwagger ? 'definitions' : 'schemas', 'schema', target);
      return fragmentOf(pointer);
    }
    const [missing] = found;
    // A name may be that of a schema of the document.
    if (!isName && missing && 'message' in missing) this.#tell(missing, at);
    return value;
  }

  /** Why what is found cannot stand where the reference stands. */
  #unfit(
    { value }: Target,
    reference: string,
    { kind, isMap }: Shape,
    at: Place,
  ): Missing | undefined {
    const wanted = wantedAt(kind, isMap);
    const isDocument =
      isObject(value) && kind !== 'other' && ('openapi' in value || 'swagger' in value);
    if (isDocument && wanted !== undefined) {
      const message = `\`${reference}\` is a whole OpenAPI document, where ${wanted} is expected. Refer to the part that is meant, such as \`${reference}#/components/schemas/Pet\`.`;
      return { at, message };
    }
    const fits =
      wanted === undefined ||
      (kind === 'text' ? typeof value === 'string' : typeof value === 'object' && value !== null) ||
      (kind === 'schema' && typeof value === 'boolean');
    if (fits) return undefined;
    return {
      at,
      message: `\`${reference}\` leads to ${typeNameOf(value)}, where ${wanted} is expected.`,
    };
  }

  /** Tells that the reference at a pointer leads to nothing, with the place of the one on the way that does not. */
  #tell({ message, at, hint, isTold }: Missing, path: string): void {
    this.#told.add(path);
    if (isTold) return;
    const place = this.#lined(at);
    this.#findings.push({ rule: 'missing-reference', message, path, place, ...(hint && { hint }) });
  }

  #lined(place: Place): FoundPlace {
    const source = this.#files.source(place.file);
    return {
      ...place,
      get line() {
        return source?.lineOf(fromPointer(place.pointer)) ?? null;
      },
    };
  }

  /** The pointer of the same place without references on its way: pages show what they lead to. */
  #behindReferences(pointer: string): string {
    let at = '';
    let value: unknown = this.#document;
    let left = MAX_HOPS;
    for (const token of fromPointer(pointer)) {
      while (isReference(value) && !Object.hasOwn(value, token)) {
        if (!value.$ref.startsWith('#/') || left === 0) return pointer;
        left -= 1;
        at = decodeUri(value.$ref.slice(1));
        value = valueAt(this.#document, fromPointer(at));
      }
      at = inPointer(at, token);
      value = valueAt(value, [token]);
    }
    return at;
  }

  /** `asked`: a pointer into the document, or into what it becomes in OpenAPI 3. */
  #placeOf(asked: string): FoundPlace {
    const pointer = this.#behindReferences(this.#isSwagger ? inSwagger(asked) : asked);
    for (let end = pointer.length; end >= 0; end = pointer.lastIndexOf('/', end - 1)) {
      const origin = this.#origins.get(pointer.slice(0, end));
      if (origin)
        return this.#lined({ file: origin.file, pointer: origin.pointer + pointer.slice(end) });
      if (end === 0) break;
    }
    return this.#lined({ file: this.#file, pointer });
  }
}

/** References on the way of one pointer. */
const MAX_HOPS = 50;

interface Reference {
  readonly $ref: string;
}

function isReference(value: unknown): value is Reference {
  return isObject(value) && typeof value.$ref === 'string';
}

/** Where Swagger 2.0 has what OpenAPI 3 has among its components. */
const inSwagger = (pointer: string): string =>
  pointer
    .replace(/^\/components\/schemas\//, '/definitions/')
    .replace(/^\/components\/(?=(?:parameters|responses)\/)/, '/');

const keyOf = (kind: Kind, { file, pointer }: Place): string => `${kind} ${file}#${pointer}`;

const inPointer = (pointer: string, name: string | number): string =>
  `${pointer}${toPointer([name])}`;

const inside = ({ file, pointer }: Place, name: string | number): Place => ({
  file,
  pointer: inPointer(pointer, name),
});

/** A pointer as a reference (RFC 6901, section 6). */
const fragmentOf = (pointer: string): string =>
  `#${pointer.replace(/[^\w./~!$&'()*+,;=:@?-]/gu, encodeURIComponent)}`;

/** What a reference has to lead to, in words; undefined where it may be anything. */
function wantedAt(kind: Kind, isMap: boolean): string | undefined {
  if (kind === 'other') return undefined;
  if (kind === 'text') return 'text';
  if (isMap) return 'an object';
  return `${/^[aeo]/.test(kind) ? 'an' : 'a'} ${kind}`;
}
