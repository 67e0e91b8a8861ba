import { type BuiltRequest, buildRequest } from '../../src/request/build-request.ts';
import type { ExampleChoice } from '../../src/request/choose-example.ts';
import { curlCommand } from '../../src/request/curl.ts';
import type { OperationData } from '../../src/request/operation-data.ts';
import { copies } from '../copy.ts';
import { tellCall } from '../readers.ts';
import { bodySection } from './body-section.ts';
import { button, element, refreshNotes } from './dom.ts';
import { onThisName } from './here.ts';
import { parameterSection, section } from './parameter-section.ts';
import { proxyChoice, proxyOffer } from './proxy.ts';
import { responseArea } from './response.ts';
import { securitySection } from './security-section.ts';
import { hasCookies, NoResponse, send } from './send.ts';
import { serverSection } from './server-section.ts';

export interface Panel {
  /** `choice`: the example that is chosen on the page, which fills the body where it is another than before. */
  open(opener: HTMLElement, choice: ExampleChoice): void;
}

/** The panel of an operation, as a dialog in the page. */
export function createPanel(data: OperationData): Panel {
  const server = serverSection(data);
  const security = data.security && securitySection(data, server.value);
  const parameters = parameterSection(data);
  const body = data.body && bodySection(data.body);
  const response = responseArea();
  const address = element('code', {
    class: 'try-address',
    tabindex: 0,
    'aria-label': 'Address of the request',
  });
  const problem = element('p', { class: 'try-problem', role: 'status' });
  const needs = element('p', { class: 'try-needs', role: 'status' });
  let isSending = false;
  let chosen = '';

  const request = (): BuiltRequest => {
    const sent = body?.value();
    const built = buildRequest(data, {
      server: server.value(),
      parameters: parameters.values(),
      ...(security && { credentials: security.credentials() }),
      ...(sent && { body: sent }),
    });
    return { ...built, url: onThisName(built.url) };
  };
  const refresh = () => {
    const { url } = request();
    address.replaceChildren(...addressParts(url));
    refreshNotes(form, isSending);
    const missing = security?.missing() ?? [];
    const text = missing.length > 0 ? `This operation needs ${missing.join(' and ')}.` : '';
    if (needs.textContent !== text) needs.textContent = text;
  };

  let running: AbortController | undefined;
  const sender = element(
    'button',
    {
      type: 'submit',
      class: 'try-button try-send',
      title: 'Ctrl + Enter',
      'aria-keyshortcuts': 'Control+Enter',
      // The second click of a double click would cancel what the first sent.
      onclick: (event) => (event as MouseEvent).detail > 1 && event.preventDefault(),
    },
    'Send',
  );
  const run = async () => {
    if (running !== undefined) return running.abort();
    problem.textContent = '';
    isSending = true;
    refresh();
    const missing = parameters.missing();
    if (missing !== undefined) {
      problem.textContent = `The path needs a value for ${missing.name}.`;
      missing.field.element.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
      return;
    }
    running = new AbortController();
    const { signal } = running;
    sender.textContent = 'Cancel';
    response.wait();
    try {
      await security?.prepare(signal);
      const built = request();
      if (hasCookies(built)) {
        problem.textContent =
          'The cookies were not sent: a page\u2019s script cannot set them. The curl command has them.';
      }
      const started = performance.now();
      const received = await send(built, signal);
      tellCall(received.status);
      await response.show(received, started);
    } catch (error) {
      if (signal.aborted) response.cancelled();
      else if (error instanceof NoResponse) {
        const { failure } = error;
        tellCall(undefined);
        response.fail(failure, failure.mayPassProxy ? proxyOffer(run) : undefined);
      } else response.fail({ message: error instanceof Error ? error.message : String(error) });
    } finally {
      running = undefined;
      sender.textContent = 'Send';
      refresh();
    }
  };

  const proxyPlace = element('div', {});
  const title = element('h2', { id: 'try-title' }, data.title);
  const form = element(
    'form',
    {
      class: 'try-form-root',
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        run();
      },
      oninput: refresh,
      onchange: refresh,
    },
    needs,
    element(
      'div',
      { class: 'try-line' },
      element('span', { class: `method method-${data.method.toLowerCase()}` }, data.method),
      address,
      copies(button('Copy as curl', { 'aria-live': 'polite' }), async () => curlCommand(request())),
      sender,
    ),
    proxyPlace,
    problem,
    element(
      'div',
      { class: 'try-columns' },
      element(
        'div',
        { class: 'try-request' },
        server.element,
        security && section('Authorization', security.element),
        parameters.element,
        body && section('Body', body.element),
      ),
      response.element,
    ),
  );
  const dialog = element(
    'dialog',
    { class: 'try-dialog', 'aria-labelledby': title.id },
    element(
      'div',
      { class: 'try-sheet' },
      element(
        'header',
        { class: 'try-head' },
        title,
        button('\u00d7', {
          class: 'try-close',
          'aria-label': 'Close',
          onclick: () => dialog.close(),
        }),
      ),
      form,
    ),
  );
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    const isShortcut = event.ctrlKey || event.metaKey;
    // Held, the key would send and cancel in turn. In a text it makes lines.
    const isHeld = event.repeat && !(event.target instanceof HTMLTextAreaElement);
    if (isShortcut || isHeld) event.preventDefault();
    if (isShortcut && !event.repeat) run();
  });
  // A click beside the sheet.
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
  return {
    open: (opener, choice) => {
      response.clear();
      if (chosen !== String(choice)) body?.choose(choice);
      chosen = String(choice);
      problem.textContent = '';
      proxyPlace.append(proxyChoice);
      refresh();
      document.body.append(dialog);
      const leave = () => dialog.close();
      window.addEventListener('popstate', leave);
      dialog.addEventListener(
        'close',
        () => {
          window.removeEventListener('popstate', leave);
          running?.abort();
          dialog.remove();
          opener.focus();
        },
        { once: true },
      );
      dialog.showModal();
    },
  };
}

/** The origin is less than what follows. */
function addressParts(url: string): Node[] {
  const [, origin = '', rest = url] = /^([a-z]+:\/\/[^/]*)(.*)$/is.exec(url) ?? [];
  return [element('span', {}, origin), document.createTextNode(rest)];
}
