import { FLOW_NAMES } from '../../src/request/flow-names.ts';
import type { FlowData, SchemeData } from '../../src/request/operation-data.ts';
import { button, changed, element, labelled, select } from './dom.ts';
import { keepKeys, keysOf } from './keys.ts';
import {
  askForClient,
  askForDevice,
  authorizeInWindow,
  type Client,
  callbackAddress,
  type DevicePrompt,
  discoverFlows,
  OAuthError,
  refreshKeys,
} from './oauth.ts';
import { secretInput } from './secret-input.ts';
import type { SchemeFields } from './security-section.ts';

/** Gets a token for a scheme of OAuth 2.0 or OpenID Connect, beside the field `token` where one can be entered. */
export function tokenFields(
  scheme: SchemeData,
  needed: readonly string[],
  token: HTMLElement,
): SchemeFields {
  const { type } = scheme;
  const place = element('div', { class: 'try-fields' });
  const status = element('p', { class: 'try-hint', role: 'status' });
  let flows = scheme.flows ?? [];
  let current: FlowForm | undefined;
  const show = (at: number) => {
    const flow = flows[at];
    if (flow === undefined) return;
    current = flowForm(scheme, flow, needed, { status, token });
    place.replaceChildren(current.element);
  };
  const chooser = element('div', {});
  const offer = () => {
    const names = flows.map((flow, at) => ({ value: String(at), text: FLOW_NAMES[flow.type] }));
    const control = select(names, '0', { onchange: () => show(Number(control.value)) });
    chooser.replaceChildren(
      ...(flows.length > 1 ? [labelled({ name: 'Flow', isWord: true }, control)] : []),
    );
    show(0);
  };
  const discover = button('Discover how to sign in', {
    onclick: () =>
      working(discover, status, async (signal) => {
        flows = await discoverFlows(scheme, signal);
        discover.remove();
        offer();
      }),
  });
  if (flows.length > 0) offer();
  else if (type === 'openIdConnect') chooser.append(discover);
  return {
    element: element(
      'div',
      { class: 'try-fields' },
      token,
      element(
        'details',
        { class: 'try-group', open: keysOf(scheme).value === '' },
        element('summary', {}, element('span', { class: 'try-word' }, 'Get a token')),
        chooser,
        place,
      ),
      status,
    ),
    prepare: async (signal) => {
      const { ends = Number.POSITIVE_INFINITY, refreshToken } = keysOf(scheme);
      if (ends < Date.now() && refreshToken && current) await current.refresh(signal);
    },
  };
}

interface FlowForm {
  readonly element: HTMLElement;
  refresh(signal: AbortSignal): Promise<void>;
}

interface FlowPlaces {
  readonly status: HTMLElement;
  /** The token's own field, which shows what was got. */
  readonly token: HTMLElement;
}

function flowForm(
  scheme: SchemeData,
  flow: FlowData,
  needed: readonly string[],
  { status, token }: FlowPlaces,
): FlowForm {
  const { type, scopes = [] } = flow;
  const id = textInput(keysOf(scheme).clientId ?? '', (clientId) =>
    keepKeys(scheme, { ...keysOf(scheme), clientId }),
  );
  const secret = secretInput(scheme, 'clientSecret');
  const user = textInput('', () => {});
  const password = element('input', { class: 'try-input', type: 'password', autocomplete: 'off' });
  const boxes = scopes.map(([scope, description]) =>
    scopeBox(scope, description, needed.includes(scope)),
  );
  const place = select(
    [
      { value: '', text: 'in the header Authorization' },
      { value: 'body', text: 'in the body' },
    ],
    '',
    {},
  );
  const placed = labelled({ name: 'The secret stands', isWord: true }, place);
  const showPlace = () => {
    placed.hidden = secret.value === '';
  };
  secret.addEventListener('input', showPlace);
  showPlace();
  const client = (): Client => ({
    id: id.value,
    secret: secret.value,
    scopes: boxes.flatMap(({ box }) => (box.checked ? [box.value] : [])),
    user: user.value,
    password: password.value,
    inBody: place.value === 'body',
  });
  const keep = (keys: Awaited<ReturnType<typeof refreshKeys>>) => {
    const { ends: _, refreshToken: __, ...others } = keysOf(scheme);
    keepKeys(scheme, { ...others, ...keys });
    const field = token.querySelector('input');
    if (field) field.value = keys.value ?? '';
    const until =
      keys.ends === undefined ? '' : ` It ends at ${new Date(keys.ends).toLocaleTimeString()}.`;
    status.replaceChildren(`There is a token.${until} `, ...(keys.refreshToken ? [refresher] : []));
    changed(token);
  };
  const refresh = async (signal: AbortSignal) =>
    keep(await refreshKeys(flow, client(), keysOf(scheme), signal));
  const refresher = button('Refresh it', { onclick: () => working(refresher, status, refresh) });
  const get = async (signal: AbortSignal) => {
    if (type === 'deviceAuthorization') {
      return keep(
        await askForDevice(flow, client(), signal, (prompt) => showDevice(status, prompt)),
      );
    }
    const isWindow = type === 'authorizationCode' || type === 'implicit';
    keep(await (isWindow ? authorizeInWindow : askForClient)(flow, client(), signal));
  };
  const isWindow = type === 'authorizationCode' || type === 'implicit';
  const getter = button(type === 'authorizationCode' ? 'Sign in' : 'Get a token', {
    class: 'try-button try-strong',
    onclick: () => working(getter, status, get),
  });
  return {
    element: element(
      'div',
      { class: 'try-fields' },
      ...(type === 'password'
        ? [
            labelled({ name: 'User name', isWord: true }, user),
            labelled({ name: 'Password', isWord: true }, password),
          ]
        : []),
      labelled({ name: 'Client ID', isWord: true }, id),
      ...(type === 'implicit'
        ? []
        : [
            labelled(
              {
                name: 'Client secret',
                isWord: true,
                kind: type === 'clientCredentials' ? undefined : 'if the client has one',
              },
              secret,
            ),
            placed,
          ]),
      isWindow
        ? element(
            'p',
            { class: 'try-hint' },
            'Register this redirect address for the client: ',
            element('code', {}, callbackAddress()),
          )
        : undefined,
      boxes.length > 0
        ? element(
            'fieldset',
            { class: 'try-scopes' },
            element('legend', { class: 'try-word' }, 'Scopes'),
            ...boxes.map((one) => one.element),
          )
        : undefined,
      getter,
    ),
    refresh,
  };
}

function textInput(value: string, keep: (text: string) => void): HTMLInputElement {
  const input = element('input', {
    class: 'try-input',
    autocomplete: 'off',
    spellcheck: 'false',
    oninput: () => keep(input.value),
  });
  input.value = value;
  return input;
}

function scopeBox(scope: string, description: string | undefined, isNeeded: boolean) {
  const box = element('input', { type: 'checkbox', value: scope, checked: isNeeded });
  const more =
    description && description !== scope
      ? element('span', { class: 'try-kind' }, description)
      : undefined;
  const text = element('span', {}, element('span', { class: 'try-name' }, scope), more);
  return { box, element: element('label', { class: 'try-check' }, box, text) };
}

function showDevice(status: HTMLElement, { code, address }: DevicePrompt): void {
  status.replaceChildren(
    'Enter the code ',
    element('code', { class: 'try-device' }, code),
    ' at ',
    element('a', { href: address, target: '_blank', rel: 'noopener noreferrer' }, address),
    '. Waiting for it\u2026',
  );
}

/** Does a thing that takes a while. Meanwhile the button, named “Cancel”, ends it. */
async function working(
  control: HTMLButtonElement,
  status: HTMLElement,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const running = runs.get(control);
  if (running !== undefined) return running.abort();
  const controller = new AbortController();
  runs.set(control, controller);
  const text = control.textContent;
  control.textContent = 'Cancel';
  status.textContent = '';
  try {
    await work(controller.signal);
  } catch (error) {
    const reason = error instanceof OAuthError ? error.message : String(error);
    status.textContent = controller.signal.aborted ? '' : reason;
  } finally {
    runs.delete(control);
    control.textContent = text;
  }
}

const runs = new WeakMap<HTMLButtonElement, AbortController>();
