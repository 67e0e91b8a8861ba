import { serverUrl } from '../../src/request/build-request.ts';
import type { OperationData, ServerData } from '../../src/request/operation-data.ts';
import { element, labelled, select } from './dom.ts';
import { onThisName } from './here.ts';

/** What was chosen before, by the servers' addresses: other operations mostly have the same. */
const chosen = new Map<string, { at: number; readonly values: Map<string, string> }>();

export interface ServerSection {
  readonly element: HTMLElement;
  /** The chosen server's address, with an origin. */
  value(): string;
}

/** Which server is asked, with its variables. */
export function serverSection({ servers }: OperationData): ServerSection {
  const key = JSON.stringify(servers.map(({ url }) => url));
  const choice = chosen.get(key) ?? { at: 0, values: new Map<string, string>() };
  chosen.set(key, choice);
  const current = () => servers[choice.at] ?? servers[0] ?? { url: '/' };
  const variables = element('div', { class: 'try-two' });
  const show = () => variables.replaceChildren(...variableFields(current(), choice.values));
  show();
  const control = select(
    servers.map(({ url, name, description }, at) => ({
      value: String(at),
      text: [name, name ? undefined : description, url].filter(Boolean).join(' \u2013 '),
    })),
    String(choice.at),
    {
      onchange: () => {
        choice.at = Number(control.value);
        show();
      },
    },
  );
  const isChoice = servers.length > 1;
  return {
    element: element(
      'div',
      { class: 'try-fields', hidden: !isChoice && current().variables === undefined },
      isChoice ? labelled({ name: 'Server', isWord: true }, control) : undefined,
      variables,
    ),
    value: () => {
      const given = new Map([...choice.values].filter(([, text]) => text !== ''));
      return absolute(serverUrl(current(), given));
    },
  };
}

function variableFields(
  { variables = [] }: ServerData,
  values: Map<string, string>,
): HTMLElement[] {
  return variables.map(({ name, enum: allowed, default: usual, description }) => {
    const value = values.get(name) ?? '';
    const keep = (event: Event) => values.set(name, (event.target as HTMLInputElement).value);
    const labels = { name, hint: description };
    if (allowed !== undefined) {
      const options = allowed.map((one) => ({ value: one, text: one }));
      return labelled(labels, select(options, value || usual, { oninput: keep }));
    }
    const input = element('input', {
      class: 'try-input',
      placeholder: usual,
      spellcheck: 'false',
      oninput: keep,
    });
    input.value = value;
    return labelled(labels, input);
  });
}

/** One without an origin belongs to this site. */
function absolute(url: string): string {
  const here = `${location.origin}/`;
  return onThisName(URL.canParse(url, here) ? new URL(url, here).href : url);
}
