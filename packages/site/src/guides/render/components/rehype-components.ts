import { didYouMean } from '@petstore/service/nearest.ts';
import type { Element, ElementContent, Properties, Root } from 'hast';
import { toString as contentOf } from 'hast-util-to-string';
import { REFERENCE_PATH } from '../../../reference/addresses.ts';
import type { Rule } from '../../../rules.ts';
import { ICON_NAMES, iconNamed } from '../../../site/icons/icons.ts';
import type { Hints, LinkTargets } from '../../links/link-target.ts';
import { findInReferences } from '../../links/reference-target.ts';
import { isImage } from '../../links/site-paths.ts';
import { codeTitle, languageOf } from '../code-meta.ts';
import { element, noteBox, text } from '../elements.ts';
import { isSafeAddress } from '../safe-html.ts';
import { cardsOfTable, isCardTable } from './card-table.ts';
import {
  block,
  type Component,
  contents,
  hasClass,
  isElement,
  isTrue,
  listOf,
  words,
} from './component-parts.ts';
import { field } from './field.ts';
import { imageBox } from './image-box.ts';
import type { Attributes } from './read-mark.ts';
import { referenceBox } from './reference-box.ts';
import { schemeOf } from './scheme-images.ts';
import { COMPONENT_TAG, type ComponentData } from './to-hast.ts';
import { videoLink } from './video-link.ts';

export interface ComponentOptions {
  readonly references: LinkTargets['references'];
  /** The icons that the page shows: their outlines are in the site's style. */
  readonly icons: Set<string>;
  readonly hints: Hints;
  readonly warn: (rule: Rule, message: string, line: number) => void;
  readonly fail: (message: string, line: number) => void;
}

/** Makes HTML of the components of a page. It runs after the sanitizer, and trusts nothing that an author wrote. */
export function rehypeComponents(options: ComponentOptions) {
  return (tree: Root): void => {
    const rendering = new Rendering(options);
    tree.children = rendering.all(tree.children as ElementContent[]);
  };
}

type Render = (component: Component) => ElementContent[];

/** The kinds of notes, by the names of components and of their types. */
const NOTES: Readonly<Record<string, string>> = {
  note: 'NOTE',
  secondary: 'NOTE',
  tip: 'TIP',
  info: 'INFO',
  primary: 'INFO',
  check: 'CHECK',
  success: 'CHECK',
  important: 'IMPORTANT',
  warning: 'WARNING',
  warn: 'WARNING',
  caution: 'CAUTION',
  danger: 'DANGER',
  error: 'DANGER',
};

/** The most columns beside each other. */
const MAX_COLUMNS = 4;

class Rendering {
  readonly #options: ComponentOptions;
  #groups = 0;
  readonly #unknownIcons = new Set<string>();

  constructor(options: ComponentOptions) {
    this.#options = options;
  }

  all(nodes: readonly ElementContent[]): ElementContent[] {
    return nodes.flatMap((node) => {
      if (!isElement(node)) return [node];
      const children = this.all(node.children);
      if (node.tagName === COMPONENT_TAG) return this.#render(node, children);
      if (node.tagName === 'table' && isCardTable(node)) return cardsOfTable(children);
      if (node.tagName === 'img') schemeOf(node);
      node.children = children;
      return [node];
    });
  }

  #render(node: Element, children: ElementContent[]): ElementContent[] {
    const data = componentData(node);
    // What an author's own element names may be anything.
    if (data?.kind === undefined || !Object.hasOwn(this.#kinds, data.kind)) return children;
    const render = this.#kinds[data.kind] as Render;
    const made = render({ ...data, children, line: node.position?.start.line ?? 1 });
    for (const one of made) setPlace(one, node.position);
    return made;
  }

  readonly #kinds: Readonly<Record<string, Render>> = {
    tabs: (component) => this.#tabs(component),
    // Outside of tabs.
    tab: ({ attributes, children }) => [
      block('tab-alone', [...this.#title(attributes, 'p', 'part-title'), ...children]),
    ],
    'code-group': (component) => this.#codeGroup(component),
    steps: ({ children }) => [listOf('steps', children)],
    step: (component) => [this.#step(component)],
    card: (component) => [this.#card(component)],
    columns: ({ attributes, children }) => [columns(attributes, children)],
    column: ({ children }) => [block('column', children)],
    group: ({ children }) => [block('component-group', children)],
    accordion: (component) => [this.#accordion(component)],
    callout: (component) => [this.#note(component)],
    note: (component) => [this.#note(component)],
    tip: (component) => [this.#note(component)],
    info: (component) => [this.#note(component)],
    check: (component) => [this.#note(component)],
    important: (component) => [this.#note(component)],
    warning: (component) => [this.#note(component)],
    caution: (component) => [this.#note(component)],
    danger: (component) => [this.#note(component)],
    prompt: ({ attributes, children }) => [
      noteBox('NOTE', words(attributes, 'title', 'description') || 'Prompt', children),
    ],
    frame: ({ attributes, children }) => {
      const hint = words(attributes, 'hint');
      return [
        ...(hint ? [element('p', { className: ['frame-hint'] }, [text(hint)])] : []),
        element('figure', { className: ['frame'] }, children),
      ];
    },
    image: (component) => imageBox(component),
    caption: ({ children }) => [element('figcaption', {}, children)],
    tooltip: (component) => [this.#tooltip(component)],
    icon: (component) => this.#icon(words(component.attributes, 'icon', 'name'), component.line),
    // A word that other products explain in a list of their own.
    word: ({ attributes, children }) =>
      contents(children).length > 0 ? children : [text(words(attributes, 'term', 'children'))],
    link: ({ attributes, children, line }) => {
      const href = this.#address(words(attributes, 'href'), line);
      const own = contents(children).length > 0 ? children : [text(words(attributes, 'label'))];
      return href === '' ? own : [element('a', { href }, own)];
    },
    badge: ({ attributes, children }) => [
      element('span', { className: ['badge', ...colorOf(attributes)] }, [
        ...children,
        ...(contents(children).length === 0 ? [text(words(attributes, 'text', 'label'))] : []),
      ]),
    ],
    field: (component) => [field(component)],
    update: (component) => [this.#update(component)],
    view: ({ attributes, children }) => [
      block('component-group', [...this.#title(attributes, 'p', 'part-title'), ...children]),
    ],
    // What is for machines alone is in the page's Markdown.
    visibility: ({ attributes, children }) =>
      words(attributes, 'for') === 'agents' ? [] : children,
    tree: ({ children }) => [listOf('tree', children)],
    'tree-folder': ({ attributes, children }) => [
      element('li', { className: ['tree-folder'] }, [
        ...this.#icon('folder'),
        element('b', {}, [text(words(attributes, 'name'))]),
        listOf('', children),
      ]),
    ],
    'tree-file': ({ attributes, children }) => [
      element('li', { className: ['tree-file'] }, [
        ...this.#icon('file'),
        text(words(attributes, 'name')),
        ...children,
      ]),
    ],
    operation: (component) => this.#reference(component, 'operation'),
    model: (component) => this.#reference(component, 'model'),
    video: (component) => videoLink(component, this.#options.warn),
    // Each page has one at its side.
    contents: () => [],
    file: ({ attributes, children, line }) => this.#file(attributes, children, line),
    'content-ref': (component) => [this.#contentRef(component)],
  };

  /** Contents of which a reader chooses one. They need no script: each is behind the radio button before it. */
  #choice(kind: string, label: string, all: readonly Choice[], chosen = 0): Element {
    this.#groups += 1;
    const name = `guide-${this.#groups}`;
    const parts = all.flatMap(({ title, content, id, lead = [] }, at) => {
      const input = element(
        'input',
        { type: 'radio', name, autoComplete: ['off'], checked: at === chosen },
        [],
      );
      return [
        element('label', {}, [input, ...lead, title]),
        element('div', id === undefined ? {} : { dataSlug: id }, content),
      ];
    });
    return block(`tabs ${kind}`.trim(), parts, { role: 'group', ariaLabel: label });
  }

  #tabs({ attributes, children, line }: Component): ElementContent[] {
    const choices: Choice[] = [];
    const others: ElementContent[] = [];
    for (const node of children) {
      const tab = isElement(node) && hasClass(node, 'tab-alone') ? node : undefined;
      if (!tab) {
        others.push(node);
        continue;
      }
      const [first, ...rest] = tab.children;
      const head = first && isElement(first) && hasClass(first, 'part-title') ? first : undefined;
      choices.push({
        title: head?.children.at(-1) ?? text(`${choices.length + 1}`),
        lead: head?.children.slice(0, -1) ?? [],
        id: head?.properties.dataSlug,
        content: head ? rest : tab.children,
      });
    }
    if (choices.length === 0) {
      this.#options.warn('component', 'Tabs without a tab in them.', line);
      return children;
    }
    const chosen = Number(words(attributes, 'defaulttabindex')) || 0;
    const before = contents(others);
    const made = this.#choice(
      '',
      'Tabs',
      choices,
      Math.min(Math.max(0, chosen), choices.length - 1),
    );
    // Others with the same titles are chosen together, unless the author wants them to stand alone.
    if (attributes.sync === false) made.properties.dataAlone = '';
    return [...before, made];
  }

  #codeGroup({ name, attributes, children }: Component): ElementContent[] {
    const blocks = contents(children);
    const codes = blocks.filter((node) => isElement(node) && node.tagName === 'pre') as Element[];
    if (codes.length < 2) return children;
    const title = words(attributes, 'title') || GROUPS[name] || 'Code';
    const choices = codes.map((pre, at) => {
      const label = pre.children.find(isElement);
      const meta = String(label?.properties.dataMeta ?? '');
      const title = text(codeTitle(meta) || languageOf(label) || `${at + 1}`);
      return { title, content: [pre] };
    });
    const others = blocks.filter((node) => !codes.includes(node as Element));
    return [...others, this.#choice('code-tabs', title, choices)];
  }

  #step({ attributes, children }: Component): Element {
    const size = words(attributes, 'titlesize');
    const tag = /^h[2-4]$/.test(size) ? size : 'p';
    const number = Number(words(attributes, 'stepnumber'));
    return element(
      'li',
      { className: ['step'], ...(number > 0 ? { value: String(number) } : {}) },
      [...this.#title(attributes, tag, 'step-title'), ...children],
    );
  }

  /** The title of a component, to which links may lead. */
  #title(attributes: Attributes, tag: string, className: string): ElementContent[] {
    const title = words(attributes, 'title', 'label', 'value');
    if (title === '') return [];
    const id = words(attributes, 'id') || title;
    return [
      element(tag, { className: [className], dataSlug: id }, [
        ...this.#icon(words(attributes, 'icon')),
        text(title),
      ]),
    ];
  }

  #accordion({ name, attributes, children }: Component): Element {
    const title = words(attributes, 'title') || (name === 'Expandable' ? 'More' : 'Details');
    const description = words(attributes, 'description');
    const isOpen = isTrue(attributes.defaultopen) || isTrue(attributes.open);
    const summary = element('summary', {}, [
      ...this.#icon(words(attributes, 'icon')),
      text(title),
      ...(description ? [text(' '), element('small', {}, [text(description)])] : []),
    ]);
    const id = words(attributes, 'id') || title;
    return element('details', { open: isOpen, dataSlug: id }, [summary, ...children]);
  }

  #note({ kind = '', attributes, children }: Component): Element {
    const type = words(attributes, 'type', 'style', 'theme').toLowerCase();
    const name = NOTES[kind === 'callout' ? type : kind] ?? 'NOTE';
    return noteBox(name, words(attributes, 'title', 'label'), children);
  }

  #card(component: Component): Element {
    const { attributes, children, line } = component;
    const title = words(attributes, 'title');
    const href = this.#address(words(attributes, 'href', 'url', 'link'), line);
    const img = words(attributes, 'img', 'image');
    const note = NOTES[words(attributes, 'type')];
    const description = words(attributes, 'description');
    const cta = words(attributes, 'cta');
    const label = title || cta || href;
    const name = href
      ? element('a', { className: ['card-link'], href }, [text(label)])
      : text(title);
    const isHead = title !== '' || href !== '';
    return block(['card', ...(note ? ['note', `note-${note.toLowerCase()}`] : [])].join(' '), [
      ...(img && isSafeAddress(img, 'src') ? [element('img', { src: img, alt: '' }, [])] : []),
      ...(isHead
        ? [
            element('p', { className: ['card-title'] }, [
              ...this.#icon(words(attributes, 'icon'), line),
              name,
            ]),
          ]
        : []),
      ...(description ? [element('p', {}, [text(description)])] : []),
      ...children,
      ...(cta && title
        ? [element('p', { className: ['card-more'], ariaHidden: 'true' }, [text(cta)])]
        : []),
    ]);
  }

  /** A card for the page that a block of GitBook names. */
  #contentRef({ attributes, children, line }: Component): Element {
    const href = this.#address(words(attributes, 'url'), line);
    const title = children.map(contentOf).join(' ').trim() || href;
    const own = { ...attributes, title, href };
    return this.#card({ kind: 'card', name: 'card', attributes: own, children: [], line });
  }

  #update({ attributes, children }: Component): Element {
    const label = words(attributes, 'label', 'date', 'title');
    const tags = words(attributes, 'tags');
    const description = words(attributes, 'description');
    const aside = [description, tags].filter(Boolean).join(' · ');
    return element('section', { className: ['update'] }, [
      ...(label ? [element('h2', {}, [text(label)])] : []),
      ...(aside ? [element('p', { className: ['update-about'] }, [text(aside)])] : []),
      ...children,
    ]);
  }

  #tooltip({ attributes, children, line }: Component): Element {
    const headline = words(attributes, 'headline');
    const tip = words(attributes, 'tip', 'content', 'title');
    const cta = words(attributes, 'cta');
    const href = this.#address(words(attributes, 'href'), line);
    this.#groups += 1;
    const id = `layout-tip-${this.#groups}`;
    const parts: ElementContent[] = [
      ...(headline ? [element('b', {}, [text(headline)]), text(' ')] : []),
      text(tip),
      ...(cta && href ? [text(' '), element('a', { href }, [text(cta)])] : []),
    ];
    return element('span', { className: ['tooltip'] }, [
      element('span', { tabIndex: 0, ariaDescribedBy: [id] }, children),
      element('span', { className: ['tooltip-text'], role: 'tooltip', id }, [...parts]),
    ]);
  }

  /** An image of the archive, an emoji, or an icon of the set. Others are told once. */
  #icon(name: string, line = 1): ElementContent[] {
    if (name === '') return [];
    if (isImage(name) && isSafeAddress(name, 'src'))
      return [element('img', { className: ['icon'], src: name, alt: '' }, [])];
    const icon = iconNamed(name);
    if (icon !== undefined) {
      const isNamed = ICON_NAMES.includes(icon);
      const properties = isNamed ? { dataIcon: icon } : {};
      if (isNamed) this.#options.icons.add(icon);
      const shown = isNamed ? [] : [text(icon)];
      const all = { className: ['guide-icon'], ...properties, ariaHidden: 'true' as const };
      return [element('span', all, shown), text(' ')];
    }
    if (!this.#unknownIcons.has(name)) {
      this.#unknownIcons.add(name);
      this.#options.warn(
        'named-icon',
        `There is no icon \`${name.slice(0, 60)}\`${didYouMean(name, ICON_NAMES)}`,
        line,
      );
    }
    return [];
  }

  /** An address that may be linked to; empty for all others, with a warning. */
  #address(href: string, line: number): string {
    if (href === '' || isSafeAddress(href, 'href')) return href;
    this.#options.warn(
      'component',
      `\`${href.slice(0, 60)}\` is no address that pages link to: write a path, or one that begins with \`https://\`.`,
      line,
    );
    return '';
  }

  #reference({ attributes, children, line }: Component, kind: 'operation' | 'model') {
    const id = words(attributes, 'id', 'name', 'title', 'operationid');
    const { references, hints } = this.#options;
    const known = references === 'unknown' ? [] : references;
    const found =
      references === 'unknown'
        ? { path: REFERENCE_PATH }
        : findInReferences(kind, id, known, hints.link);
    // An operation's link is checked as all others are.
    if (kind === 'model' && 'problem' in found) this.#options.fail(found.problem, line);
    const path = 'path' in found ? found.path : REFERENCE_PATH;
    const about = known.flatMap(({ details }) => details.get(path) ?? [])[0];
    const href = kind === 'operation' ? `operation:${encodeURIComponent(id)}` : path;
    return [referenceBox(href, id, about), ...contents(children)];
  }

  #file(attributes: Attributes, children: ElementContent[], line: number): ElementContent[] {
    const src = this.#address(words(attributes, 'src', 'file', 'url'), line);
    const name = children.map(contentOf).join(' ').trim() || src.split('/').at(-1) || src;
    if (src === '') return children;
    return [
      element('span', { className: ['embed', 'embed-file'] }, [
        element('a', { href: src, className: ['embed-link'] }, [text(name)]),
      ]),
    ];
  }
}

interface Choice {
  readonly title: ElementContent;
  readonly content: ElementContent[];
  /** Text that makes the id of the content. */
  readonly id?: Properties[string];
  readonly lead?: ElementContent[];
}

const GROUPS: Readonly<Record<string, string>> = {
  RequestExample: 'Request',
  ResponseExample: 'Response',
};

function componentData({ properties }: Element): ComponentData | undefined {
  try {
    const data: Partial<ComponentData> = JSON.parse(String(properties.dataComponent));
    const { kind, name = '', attributes = {} } = data;
    // An author's own element may say anything.
    if (typeof kind !== 'string' || typeof name !== 'string' || typeof attributes !== 'object')
      return undefined;
    return { kind, name, attributes: attributes ?? {} };
  } catch {
    return undefined;
  }
}

/** Problems of links and images that a component has are told of its line. */
function setPlace(node: ElementContent, position: Element['position']): void {
  if (!isElement(node) || node.position || !position) return;
  node.position = position;
  for (const child of node.children) setPlace(child, position);
}

function columns(attributes: Attributes, children: ElementContent[]): Element {
  const own = contents(children);
  const wanted = Number(words(attributes, 'cols', 'columns')) || Math.min(2, own.length || 1);
  const count = Math.min(MAX_COLUMNS, Math.max(1, Math.round(wanted)));
  return block(`columns columns-${count}`, own);
}

const COLORS = ['blue', 'green', 'red', 'orange', 'yellow', 'purple', 'gray'];

function colorOf(attributes: Attributes): string[] {
  const color = words(attributes, 'color').toLowerCase();
  return COLORS.includes(color) ? [`badge-${color}`] : [];
}
