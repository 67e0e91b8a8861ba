import { type Html, html } from '@petstore/http/html.ts';
import { type Schema, textOf } from '../openapi/openapi-types.ts';
import { flags } from './badges.ts';
import { type Page, textBlock, warnOfLong } from './page-parts.ts';
import type { ReferenceContext } from './reference-context.ts';
import { factsOf, schemaExamples } from './schema-facts.ts';
import type { SchemaNode } from './schema-tree.ts';
import { typeHtml } from './schema-type.ts';
import { valuesHtml } from './schema-values.ts';
import { keyword, type Shape } from './shape.ts';

/** What is said of a value, whoever holds it. */
export interface ValueHtml {
  /** `array of Pet` */
  readonly type: Html;
  /** After the name and the type: `deprecated`. */
  readonly flags: Html;
  readonly description: Html;
  readonly facts: Html;
}

const known = new WeakMap<ReferenceContext, WeakMap<Shape, ValueHtml>>();

/** It is made once for each schema: a thousand pages have the same. */
export function valueHtml(page: Page, { shape, element }: SchemaNode): ValueHtml {
  const ofContext = known.get(page.context) ?? new WeakMap<Shape, ValueHtml>();
  known.set(page.context, ofContext);
  const found = ofContext.get(shape) ?? {
    type: html`<span class="ref-type">${typeHtml(page, shape)}</span>`,
    flags: flags(shape),
    description: textBlock(page, textOf(keyword(shape, 'description'))),
    facts: allFacts(page, shape, element, factsOf(shape)),
  };
  if (!ofContext.has(shape)) {
    warnOfLong(page, 'A default or a constant', [
      keyword(shape, 'default'),
      keyword(shape, 'const'),
    ]);
  }
  ofContext.set(shape, found);
  return found;
}

/** What a parameter or a header says of its value, whose words go before those of its schema. */
export function heldValueHtml(
  page: Page,
  node: SchemaNode,
  { holder, facts, examples }: HeldValue,
): ValueHtml {
  const value = valueHtml(page, node);
  const { shape, element } = node;
  // Nothing stands beside the page's text for these, unlike for bodies.
  const own = examples.length > 0 ? examples : schemaExamples(shape);
  warnOfLong(page, 'An example', own);
  return {
    ...value,
    flags: flags(shape, holder),
    description:
      textOf(holder.description) === ''
        ? value.description
        : textBlock(page, textOf(holder.description)),
    facts: allFacts(page, shape, element, [...factsOf(shape, own), ...facts]),
  };
}

export interface HeldValue {
  readonly holder: Schema;
  readonly facts: readonly Html[];
  readonly examples: readonly unknown[];
}

/** The facts, those of each item of a list, and the allowed values. */
function allFacts(page: Page, shape: Shape, element: Shape, facts: readonly Html[]): Html {
  const ofItems = shape === element ? [] : factsOf(element);
  const items = ofItems.length > 0 ? factList([html`Each item:`, ...ofItems]) : '';
  const values = shape === element ? '' : valuesHtml(page, element, true);
  return html`${factList(facts)}${items}${valuesHtml(page, shape)}${values}`;
}

/** A list of short facts; nothing for none. */
export function factList(facts: readonly Html[]): Html {
  if (facts.length === 0) return html``;
  return html`<ul class="ref-facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`;
}
