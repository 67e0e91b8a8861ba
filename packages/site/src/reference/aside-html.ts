import { type Html, html } from '@petstore/http/html.ts';
import { truncate } from '@petstore/service/text.ts';
import { isObject, type OperationSummary } from '../openapi/openapi-types.ts';
import type { FoundOperation } from '../openapi/operations.ts';
import { resolveReference } from '../openapi/references.ts';
import type { OperationData } from '../request/operation-data.ts';
import { codeSample } from '../samples/sample-request.ts';
import { toPointer } from '../syntax/source.ts';
import { exampleLabel } from './body-examples.ts';
import { isBinary } from './examples/example-text.ts';
import { type Example, examplesOf, modelExamples } from './examples/examples.ts';
import type { Direction } from './examples/sample-schema.ts';
import { highlighted } from './highlight.ts';
import { ownSamples } from './own-samples.ts';
import { outsideLink } from './page-parts.ts';
import type { ReferenceContext } from './reference-context.ts';
import { statusKind } from './responses-html.ts';
import { type Tab, tabs } from './tabs-html.ts';

/** The letters of all examples of a page. Those after them are left to the document. */
const MAX_LETTERS = 80_000;

const MAX_STATUSES = 30;
const MAX_MEDIA_TYPES = 10;
const MAX_LABEL = 60;
const MAX_ABOUT = 300;

/**
 * What stands beside an operation: a code sample, the bodies that it takes, the responses that it gives. `data`: undefined
 * for a webhook.
 */
export function operationAside(
  context: ReferenceContext,
  { isWebhook }: OperationSummary,
  { operation, path, method }: FoundOperation,
  data: OperationData | undefined,
): Html {
  const location = [isWebhook ? 'webhooks' : 'paths', path, method.toLowerCase()];
  const aside = new Aside(context, location);
  // A webhook is sent by the API, so what it writes is what a reader reads.
  const bodies = aside.bodies(operation.requestBody, isWebhook ? 'response' : 'request', data);
  return html`${[
    data ? aside.sample(operation, data) : html``,
    // The code sample has the only one.
    isWebhook || bodies.length > 1
      ? aside.box(isWebhook ? 'Payload' : 'Request body', bodies)
      : html``,
    aside.responses(operation.responses),
  ]}`;
}

/** An example of a model. */
export function modelAside(context: ReferenceContext, name: string): Html {
  const aside = new Aside(context, ['components', 'schemas', name]);
  const examples = modelExamples(context, name);
  return aside.box(
    'Example',
    examples.map((one) => aside.exampleTab(one, 'JSON')),
  );
}

class Aside {
  #left = MAX_LETTERS;
  #groups = 0;
  readonly #context: ReferenceContext;
  readonly #location: readonly string[];

  constructor(context: ReferenceContext, location: readonly string[]) {
    this.#context = context;
    this.#location = location;
  }

  /** The document's own samples, and curl. Scripts offer the other languages. */
  sample(operation: Record<string, unknown>, data: OperationData): Html {
    const own = ownSamples(
      this.#context,
      operation,
      toPointer([...this.#location, 'x-codeSamples']),
    );
    const curl = highlighted(codeSample(data), 'curl');
    if (own.length === 0)
      return codeBox(html`<span>Request</span><span>curl</span>`, curl, 'ref-sample');
    const all = [
      ...own.map(({ language, title, source }) => ({
        language,
        title,
        code: highlighted(source, language),
      })),
      ...(own.some(({ language }) => language === 'curl')
        ? []
        : [{ language: 'curl', title: 'curl', code: curl, made: '' }]),
    ];
    const made = all.map(
      ({ title, code, ...about }): Tab => ({
        label: html`${title}`,
        content: codeBox(html``, code),
        data: about,
      }),
    );
    return tabs(this.#group(), 'Request', made, 'ref-sample');
  }

  responses(given: unknown): Html {
    const all = Object.entries(isObject(given) ? given : {}).filter(
      ([name]) => !name.startsWith('x-'),
    );
    const made = all.slice(0, MAX_STATUSES).flatMap(([status, value]): Tab[] => {
      const response = resolveReference(this.#context.document, value);
      if (!isObject(response)) return [];
      const bodies = this.#contents(response.content, 'response', ['responses', status, 'content']);
      const [first] = bodies;
      return [
        {
          label: html`<b class="ref-status ref-${statusKind(status)}">${truncate(status, MAX_LABEL)}</b>`,
          content:
            first === undefined
              ? html`<p class="ref-none">No body</p>`
              : bodies.length === 1
                ? first.content
                : tabs(this.#group(), 'Example', bodies, 'ref-inner'),
        },
      ];
    });
    return this.box('Response', made);
  }

  /** The tabs of what `data` has too say which of its media types and examples they are. */
  bodies(given: unknown, direction: Direction, data?: OperationData): readonly Tab[] {
    const body = resolveReference(this.#context.document, given);
    if (!isObject(body)) return [];
    const types = data?.body?.content.map(({ type }) => type);
    return this.#contents(body.content, direction, ['requestBody', 'content'], types);
  }

  box(title: string, all: readonly Tab[]): Html {
    return all.length === 0 ? html`` : tabs(this.#group(), title, all);
  }

  #group(): string {
    this.#groups += 1;
    return `ref-${this.#groups}`;
  }

  #contents(
    given: unknown,
    direction: Direction,
    path: readonly string[],
    types: readonly string[] = [],
  ): readonly Tab[] {
    const content = Object.entries(isObject(given) ? given : {}).slice(0, MAX_MEDIA_TYPES);
    return content.flatMap(([type, value]): Tab[] => {
      const media = resolveReference(this.#context.document, value);
      if (!isObject(media)) return [];
      const place = toPointer([...this.#location, ...path, type]);
      const examples = examplesOf(this.#context, media, type, direction, place);
      const [only] = examples;
      const numbered = (tab: Tab, at: number): Tab =>
        types.includes(type) ? { ...tab, data: { body: `${types.indexOf(type)} ${at}` } } : tab;
      if (only === undefined) {
        if (!isBinary(type)) return [];
        const file = html`<p class="ref-none">A file: <code>${type}</code></p>`;
        return [numbered({ label: html`${type}`, content: file }, 0)];
      }
      const isOneOfTypes = content.length > 1;
      if (examples.length === 1) {
        // Among several media types that is what tells examples apart.
        const name = isOneOfTypes ? type : only.name || type;
        const summary = isOneOfTypes ? '' : only.summary;
        return [numbered(this.exampleTab({ ...only, name, summary }, type), 0)];
      }
      const suffix = isOneOfTypes ? ` (${type})` : '';
      return examples.map((one, at) => numbered(this.exampleTab(one, type, suffix), at));
    });
  }

  exampleTab(example: Example, type: string, suffix = ''): Tab {
    const { description, text, language, isCut, isGenerated, link } = example;
    const label = html`${exampleLabel(example, type)}${suffix}`;
    const about =
      description === ''
        ? html``
        : html`<p class="ref-none">${truncate(description, MAX_ABOUT)}</p>`;
    if (link !== undefined) {
      return {
        label,
        content: html`${about}<p class="ref-none">The example is at ${outsideLink(link)}</p>`,
      };
    }
    this.#left -= text.length;
    const whole = html`the <a href="${this.#context.downloads.json}">OpenAPI document</a>`;
    if (this.#left < 0) {
      return {
        label,
        content: html`${about}<p class="ref-none">A long example: see ${whole}.</p>`,
      };
    }
    const more = isGenerated ? 'The schema has more members.' : html`All of it is in ${whole}.`;
    const note = isCut ? html`<p class="ref-none">Shortened. ${more}</p>` : html``;
    const code = codeBox(html``, highlighted(text, language));
    return { label, content: html`${about}${code}${note}` };
  }
}

function codeBox(head: Html, code: Html, kind = ''): Html {
  return html`<div class="code-box${kind && ` ${kind}`}"><div class="code-head">${head}</div><pre tabindex="0"><code>${code}</code></pre></div>
`;
}
