import type { Credential } from '../../src/request/build-request.ts';
import type { NeededScheme, OperationData, SchemeData } from '../../src/request/operation-data.ts';
import { element, labelled, select } from './dom.ts';
import { isRemembering, type Keys, keepKeys, keysOf, remember } from './keys.ts';
import { sandboxOffer } from './sandbox-offer.ts';
import { secretInput } from './secret-input.ts';
import { tokenFields } from './token-fields.ts';

export interface SecuritySection {
  readonly element: HTMLElement;
  /** By the schemes' names. Tokens that have ended are refreshed first. */
  credentials(): ReadonlyMap<string, Credential>;
  prepare(signal: AbortSignal): Promise<void>;
  /** What the operation needs and has not got, in words: `a token for “bearerAuth”`. */
  missing(): readonly string[];
}

/** How a scheme's part of the section works. */
export interface SchemeFields {
  readonly element: HTMLElement;
  prepare?(signal: AbortSignal): Promise<void>;
}

/** The last choice among alternatives, by their text: other operations mostly have the same. */
const chosen = new Map<string, number>();

/** The credentials of the alternative that the reader chose. `server`: the address of the chosen server. */
export function securitySection(
  { security = [], schemes = [] }: OperationData,
  server: () => string,
): SecuritySection {
  const titles = security.map((needed) => alternativeTitle(needed, schemes));
  const key = [schemes[0]?.api ?? '', ...titles].join('|');
  const keysFor = (name: string): Keys => {
    const scheme = schemes.find((one) => one.name === name);
    return scheme ? keysOf(scheme) : { value: '' };
  };
  const first = () => firstKnown(security, keysFor);
  let at = Math.min(chosen.get(key) ?? first(), Math.max(0, security.length - 1));
  let shown: SchemeFields[] = [];
  const place = element('div', { class: 'try-fields' });
  const show = () => {
    shown = (security[at] ?? []).map((needed) => fieldsOf(needed, schemes, server));
    place.replaceChildren(...shown.map((one) => one.element));
  };
  show();
  const control = select(
    titles.map((text, index) => ({ value: String(index), text })),
    String(at),
    {
      onchange: () => {
        at = Number(control.value);
        chosen.set(key, at);
        show();
      },
    },
  );
  return {
    element: element(
      'div',
      { class: 'try-fields' },
      titles.length > 1 ? labelled({ name: 'Sign in with', isWord: true }, control) : undefined,
      place,
      rememberBox(),
    ),
    credentials: () =>
      new Map(
        (security[at] ?? [])
          .map(([name]): [string, Credential] => [name, keysFor(name)])
          .filter(([, { value, user }]) => value !== '' || Boolean(user)),
      ),
    prepare: async (signal) => {
      for (const { prepare } of shown) await prepare?.(signal);
    },
    missing: () => {
      const isOptional = security.some((needed) => needed.length === 0);
      const needed = isOptional ? [] : (security[at] ?? []);
      return needed.flatMap(([name]) => missingWords(schemes.find((one) => one.name === name)));
    },
  };
}

/** What is missing of a scheme, where the panel can send it at all. */
function missingWords(scheme: SchemeData | undefined): readonly string[] {
  const isSent =
    scheme !== undefined &&
    scheme.type !== 'mutualTLS' &&
    !(scheme.type === 'apiKey' && scheme.in === 'cookie');
  if (!isSent) return [];
  const { value, user } = keysOf(scheme);
  if (value !== '' || user) return [];
  const isBasic = scheme.type === 'http' && scheme.scheme === 'basic';
  const what = isBasic
    ? 'a user name and a password'
    : scheme.type === 'apiKey'
      ? 'a key'
      : 'a token';
  return [`${what} for \u201c${scheme.name}\u201d`];
}

function alternativeTitle(needed: readonly NeededScheme[], schemes: readonly SchemeData[]): string {
  const isOld = schemes.some((one) => one.deprecated && needed.some(([name]) => name === one.name));
  const names = needed.map(([name]) => name).join(' + ') || 'Nothing';
  return isOld ? `${names} (deprecated)` : names;
}

/** The first alternative for which there are keys already. */
function firstKnown(
  security: readonly (readonly NeededScheme[])[],
  keysFor: (name: string) => Keys,
): number {
  const isKnown = (needed: readonly NeededScheme[]) =>
    needed.length > 0 && needed.every(([name]) => keysFor(name).value !== '');
  return Math.max(0, security.findIndex(isKnown));
}

function fieldsOf(
  [name, scopes = []]: NeededScheme,
  schemes: readonly SchemeData[],
  server: () => string,
): SchemeFields {
  const scheme = schemes.find((one) => one.name === name);
  if (scheme === undefined) {
    return note(`The document does not describe the scheme “${name}”, so it is not sent.`);
  }
  if (scheme.type === 'mutualTLS')
    return note(`${name}: the browser itself asks for your certificate.`);
  if (scheme.type === 'apiKey' && scheme.in === 'cookie') {
    return note(
      `${name}: the API expects the cookie “${scheme.key}”, which a page's script cannot set. The browser sends it only if the API set it for this very site. The curl command takes it.`,
      keyInput(scheme, 'Cookie'),
    );
  }
  if (scheme.type === 'apiKey')
    return { element: keyInput(scheme, `${scheme.in} ${scheme.key}`, server) };
  if (scheme.type === 'http' && scheme.scheme === 'basic') return { element: basicInputs(scheme) };
  if (scheme.type === 'http') {
    return { element: keyInput(scheme, scheme.bearerFormat ?? scheme.scheme ?? 'http', server) };
  }
  return tokenFields(scheme, scopes, keyInput(scheme, 'access token'));
}

const note = (text: string, ...more: HTMLElement[]): SchemeFields => ({
  element: element('div', {}, element('p', { class: 'try-hint' }, text), ...more),
});

/**
 * A secret: not shown, and not offered to the browser's own store of passwords. With a `server` that gives out sandboxes
 * there is an offer of one.
 */
function keyInput(scheme: SchemeData, kind: string, server?: () => string): HTMLElement {
  const { name, description, sandbox } = scheme;
  // Many documents call a scheme by what it is.
  const isSaid = kind.toLowerCase() === name.toLowerCase();
  const input = secretInput(scheme, 'value');
  return labelled(
    { name, kind: isSaid ? undefined : kind, hint: description },
    input,
    sandbox && server && sandboxOffer(scheme, sandbox, server, input),
  );
}

function basicInputs(scheme: SchemeData): HTMLElement {
  const { name, description } = scheme;
  const user = element('input', {
    class: 'try-input',
    autocomplete: 'off',
    spellcheck: 'false',
    oninput: () => keepKeys(scheme, { ...keysOf(scheme), user: user.value }),
  });
  user.value = keysOf(scheme).user ?? '';
  return element(
    'div',
    { class: 'try-two' },
    labelled({ name: 'User name', isWord: true, kind: name, hint: description }, user),
    labelled({ name: 'Password', isWord: true }, secretInput(scheme, 'value')),
  );
}

function rememberBox(): HTMLElement {
  const box = element('input', { type: 'checkbox', onchange: () => remember(box.checked) });
  box.checked = isRemembering();
  return element('label', { class: 'try-check' }, box, 'Remember my keys in this browser');
}
