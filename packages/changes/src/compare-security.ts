import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { type ApiDocument, type At, memberOf, memberValue, textIn } from './api-document.ts';
import type { OperationContext, Report } from './report.ts';
import { isEqual } from './sameness.ts';

/** Schemes that are needed together, each with its scopes, by the scheme's name in the old document. */
type Alternative = ReadonlyMap<string, readonly string[]>;

/** Compares what callers must prove. */
export class SecurityComparison {
  readonly #old: ApiDocument;
  readonly #new: ApiDocument;
  readonly #report: Report;
  readonly #names: ReadonlyMap<string, string>;
  #isShared = false;

  constructor(old: ApiDocument, now: ApiDocument, report: Report) {
    this.#old = old;
    this.#new = now;
    this.#report = report;
    this.#names = namesInOld(old, now);
  }

  /** Compares the requirements of an operation. Those of the document itself are compared once, at the end. */
  compare(old: At, now: At, context: OperationContext): void {
    const [own, next] = [memberOf(old, 'security'), memberOf(now, 'security')];
    if (!own && !next) {
      this.#isShared = true;
      return;
    }
    const [before, after] = [
      own ?? this.#ofDocument(this.#old),
      next ?? this.#ofDocument(this.#new),
    ];
    this.#compare({ old: before, at: old }, { old: after, at: now }, context);
  }

  /** Compares the document's requirements, where an operation has them. */
  end(): void {
    const [old, now] = [this.#ofDocument(this.#old), this.#ofDocument(this.#new)];
    if (this.#isShared)
      this.#compare({ old, at: this.#old.root }, { old: now, at: this.#new.root }, null);
  }

  #ofDocument(document: ApiDocument): At | undefined {
    return memberOf(document.root, 'security');
  }

  #compare(
    before: { readonly old: At | undefined; readonly at: At },
    after: { readonly old: At | undefined; readonly at: At },
    context: OperationContext | null,
  ): void {
    const olds = alternatives(before.old, (name) => name);
    const news = alternatives(after.old, (name) => this.#names.get(name) ?? name);
    const subject = context ? `\`${context.name}\`` : 'the API';
    const places = { subject, old: before.old ?? before.at, new: after.old ?? after.at };
    const add = (code: Parameters<Report['add']>[0], old?: string, now?: string) =>
      this.#report.add(code, context, { ...places, said: { old, new: now } });
    const [wasOpen, isOpen] = [isPublic(olds), isPublic(news)];
    if (!wasOpen && news.length === 0) {
      add('security-removed');
      return;
    }
    if (wasOpen && !isOpen) {
      add('security-added', undefined, news.map(inWords).join(', or '));
      return;
    }
    if (!wasOpen && isOpen) add('security-alternative-added', undefined, 'no credentials');
    // Of several with the same schemes those that are equal belong together.
    const isEqualTo = (one: Alternative) => (other: Alternative) =>
      hasSameSchemes(one, other) &&
      scopesBeyond(one, other).length + scopesBeyond(other, one).length === 0;
    const gone = olds.filter((old) => old.size > 0 && !news.some(isEqualTo(old)));
    const come = news.filter((now) => now.size > 0 && !olds.some(isEqualTo(now)));
    for (const old of gone) {
      if (news.some((now) => isEnough(old, now))) continue;
      const same = come.find((now) => hasSameSchemes(old, now));
      if (!same) add('security-alternative-removed', inWords(old));
      else
        for (const scope of scopesBeyond(same, old)) add('security-scope-added', undefined, scope);
    }
    for (const now of come) {
      const same = gone.find((old) => hasSameSchemes(old, now));
      if (!same) add('security-alternative-added', undefined, inWords(now));
      else for (const scope of scopesBeyond(same, now)) add('security-scope-removed', scope);
    }
  }
}

/** None at all, or one that needs nothing. */
const isPublic = (list: readonly Alternative[]): boolean =>
  list.length === 0 || list.some(({ size }) => size === 0);

function alternatives(at: At | undefined, nameOf: (name: string) => string): Alternative[] {
  if (!at || !Array.isArray(at.value)) return [];
  return at.value
    .filter(isObject)
    .map(
      (one) =>
        new Map(
          Object.entries(one).map(([name, scopes]) => [
            nameOf(name),
            Array.isArray(scopes) ? scopes.map(String) : [],
          ]),
        ),
    );
}

/** Whether whoever has what the old one asks for has what the new one does. */
const isEnough = (old: Alternative, now: Alternative): boolean =>
  [...now].every(([name, scopes]) => {
    const had = old.get(name);
    return had !== undefined && scopes.every((scope) => had.includes(scope));
  });

const hasSameSchemes = (old: Alternative, now: Alternative): boolean =>
  old.size === now.size && [...old.keys()].every((name) => now.has(name));

const scopesBeyond = (one: Alternative, other: Alternative): string[] =>
  [...one].flatMap(([name, scopes]) => scopes.filter((scope) => !other.get(name)?.includes(scope)));

const inWords = (alternative: Alternative): string =>
  [...alternative.keys()].join(' and ') || 'no credentials';

/** What makes a scheme another one. */
function kindOf(scheme: At): string {
  const name = textIn(scheme, 'name') ?? '';
  const place = textIn(scheme, 'in') ?? '';
  return [
    textIn(scheme, 'type') ?? '',
    place,
    place === 'header' ? name.toLowerCase() : name,
    (textIn(scheme, 'scheme') ?? '').toLowerCase(),
  ].join(' ');
}

const schemesOf = (document: ApiDocument): Map<string, At> => {
  const components = document.member(document.root, 'components');
  return components ? document.named(components, 'securitySchemes') : new Map();
};

/** What each scheme of the new document is called in the old one: a scheme may be renamed. */
function namesInOld(old: ApiDocument, now: ApiDocument): Map<string, string> {
  const [before, after] = [schemesOf(old), schemesOf(now)];
  const names = new Map<string, string>();
  for (const [name, scheme] of after) {
    const same = before.get(name);
    const kind = kindOf(scheme);
    if (same && kindOf(same) === kind) continue;
    // The name is part of the kind, in letters that count.
    const meaning = ({ value }: At) => ({ ...(value as object), name: '', description: '' });
    const renamed = [...before].find(
      ([other, one]) =>
        kindOf(one) === kind && isEqual(meaning(one), meaning(scheme)) && !after.has(other),
    );
    if (renamed) names.set(name, renamed[0]);
    else if (same) names.set(name, `${name} (${kind.trim().replace(/ +/g, ' ')})`);
  }
  return names;
}

/** Compares the addresses of schemes that are of one kind in both documents. */
export function compareSecuritySchemes(old: ApiDocument, now: ApiDocument, report: Report): void {
  const after = schemesOf(now);
  for (const [name, scheme] of schemesOf(old)) {
    const other = after.get(name);
    if (!other || kindOf(scheme) !== kindOf(other)) continue;
    const subject = `security scheme \`${name}\``;
    for (const [what, one, next] of addresses(scheme, other)) {
      if (isEqual(one?.value, next?.value)) continue;
      report.add('security-scheme-changed', null, {
        ...{ subject, old: one ?? scheme, new: next ?? other },
        said: { name: what, old: one?.value ?? 'none', new: next?.value ?? 'none' },
      });
    }
    const [said, saidNow] = [memberOf(scheme, 'description'), memberOf(other, 'description')];
    if (!isEqual(said?.value, saidNow?.value))
      report.add('description-changed', null, { subject, old: said ?? null, new: saidNow ?? null });
  }
}

const FLOW_ADDRESSES = ['authorizationUrl', 'deviceAuthorizationUrl', 'tokenUrl', 'refreshUrl'];

function* addresses(old: At, now: At): Generator<[string, At | undefined, At | undefined]> {
  for (const name of ['openIdConnectUrl', 'oauth2MetadataUrl'])
    yield [name, memberOf(old, name), memberOf(now, name)];
  const [flows, others] = [memberOf(old, 'flows'), memberOf(now, 'flows')];
  const names = [flows, others].flatMap((at) =>
    at && isObject(at.value) ? Object.keys(at.value) : [],
  );
  for (const flow of new Set(names)) {
    const [one, other] = [flows && memberOf(flows, flow), others && memberOf(others, flow)];
    for (const name of FLOW_ADDRESSES)
      yield [`${name} (${flow})`, one && memberOf(one, name), other && memberOf(other, name)];
    const scopes = (at: At | undefined) =>
      Object.keys((at && (memberValue(at, 'scopes') as object)) ?? {});
    for (const scope of scopes(one))
      if (other && !scopes(other).includes(scope))
        yield [
          `scopes (${flow})`,
          { value: scope, pointer: one?.pointer ?? old.pointer },
          undefined,
        ];
  }
}
