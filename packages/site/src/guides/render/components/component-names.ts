/** What a component is, however it is written. */
export interface ComponentKind {
  /** The one name that the three spellings share. */
  readonly name: string;
  /** Whether it is a part of a line: a tooltip, a badge. */
  readonly isInline?: boolean;
  /** Whether it may stand alone, without an end. */
  readonly mayBeAlone?: boolean;
}

const block = (name: string): ComponentKind => ({ name });
const alone = (name: string): ComponentKind => ({ name, mayBeAlone: true });
const inline = (name: string): ComponentKind => ({ name, isInline: true });

/** By their names in small letters and without dashes: `CodeGroup`, `code-group` and `codegroup` are the same. */
const KINDS: Readonly<Record<string, ComponentKind>> = {
  tabs: block('tabs'),
  tab: block('tab'),
  tabitem: block('tab'),
  steps: block('steps'),
  stepper: block('steps'),
  step: block('step'),
  card: block('card'),
  tile: block('card'),
  cardgroup: block('columns'),
  cards: block('columns'),
  columns: block('columns'),
  column: block('column'),
  accordion: block('accordion'),
  expandable: block('accordion'),
  accordiongroup: block('group'),
  codegroup: block('code-group'),
  requestexample: block('code-group'),
  responseexample: block('code-group'),
  code: block('code'),
  callout: block('callout'),
  hint: block('callout'),
  admonition: block('callout'),
  note: block('note'),
  tip: block('tip'),
  info: block('info'),
  success: block('check'),
  check: block('check'),
  important: block('important'),
  warning: block('warning'),
  caution: block('caution'),
  danger: block('danger'),
  error: block('danger'),
  frame: block('frame'),
  image: alone('image'),
  tooltip: inline('tooltip'),
  icon: inline('icon'),
  badge: inline('badge'),
  glossary: inline('word'),
  anchor: inline('link'),
  paramfield: block('field'),
  responsefield: block('field'),
  field: block('field'),
  update: block('update'),
  updates: block('group'),
  panel: block('group'),
  view: block('view'),
  visibility: block('visibility'),
  prompt: block('prompt'),
  tree: block('tree'),
  'tree.folder': block('tree-folder'),
  'tree.file': alone('tree-file'),
  operation: alone('operation'),
  model: alone('model'),
  video: alone('video'),
  embed: alone('video'),
  liteyoutubeembed: alone('video'),
  liteyoutube: alone('video'),
  tocinline: alone('contents'),
  file: alone('file'),
  contentref: block('content-ref'),
  snippet: alone('snippet'),
  include: alone('snippet'),
};

/** What directives call otherwise. */
const DIRECTIVES: Readonly<Record<string, ComponentKind>> = {
  details: block('accordion'),
};

const key = (name: string) => name.toLowerCase().replace(/[-_]/g, '');

const found = (table: Readonly<Record<string, ComponentKind>>, name: string) =>
  Object.hasOwn(table, key(name)) ? table[key(name)] : undefined;

/** The component that a mark names; undefined for an unknown one, and for an element of HTML. */
export function componentKind(
  name: string,
  spelling: 'tag' | 'block' | 'directive',
): ComponentKind | undefined {
  if (spelling === 'directive') return found(DIRECTIVES, name) ?? found(KINDS, name);
  if (spelling === 'block') return found(KINDS, name);
  return isHtml(name) ? undefined : found(KINDS, name);
}

/** Whether a tag is one of HTML's: they begin with a small letter, but for ReadMe's tables. */
export const isHtml = (name: string): boolean => /^\p{Ll}/u.test(name) || name === 'Table';

/** The names of all components, for suggestions. */
export const COMPONENT_NAMES: readonly string[] = Object.keys(KINDS);

/** Elements of HTML without an end. */
export const VOID = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);

/** Elements of HTML that are parts of a line. All others stand for themselves. */
export const INLINE_HTML = new Set(
  'a abbr b bdi bdo br button cite code data del dfn em i img input ins kbd label mark q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
