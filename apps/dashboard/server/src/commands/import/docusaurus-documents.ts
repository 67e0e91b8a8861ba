import type { ImportedDocument, Note } from './imported-site.ts';
import { ImportedValue } from './imported-value.ts';
import { resolvePath, type SourceFolder } from './source-folder.ts';

/** The options of a preset or plugin by the end of its name: `[name, options]`. */
export function optionsOf(list: ImportedValue | undefined, name: RegExp): ImportedValue[] {
  return (list?.items ?? []).flatMap((one) => {
    const [first, options] = one.items;
    const isIt = name.test(one.text ?? first?.text ?? '');
    return isIt ? [options ?? new ImportedValue(undefined, one.place)] : [];
  });
}

/** The OpenAPI documents that the plugins of a Docusaurus folder show: Redocusaurus', and two that are called OpenAPI. */
export function docusaurusDocuments(
  config: ImportedValue,
  folder: SourceFolder,
  notes: Note[],
): ImportedDocument[] {
  const found = new Map<string, ImportedDocument>();
  for (const { value, route } of named(config)) {
    const { text = '', place } = value;
    const file = resolvePath(text.replace(/^@site\//, ''), '') ?? '';
    if (/^https?:/.test(text)) {
      const message = `The OpenAPI document is at \`${text}\`, and nothing is fetched: save it in the folder, and name it in docs.yaml.`;
      notes.push({ ...place, message });
    } else if (!folder.files.has(file)) {
      notes.push({ ...place, message: `There is no OpenAPI document \`${text}\`.` });
    } else if (!found.has(file)) {
      found.set(file, { file, ...(route && { route: { path: route, place } }) });
    }
  }
  return [...found.values()];
}

interface NamedDocument {
  readonly value: ImportedValue;
  /** Where Docusaurus has its page. */
  readonly route: string | undefined;
}

function named(config: ImportedValue): NamedDocument[] {
  const [presets, plugins] = [config.get('presets'), config.get('plugins')];
  const redoc = [presets, plugins].flatMap((list) => optionsOf(list, /(?:^|\/)redocusaurus$/));
  const docs = optionsOf(plugins, /(?:^|\/)(?:docusaurus-)?plugin-openapi-docs$/);
  const openapi = [
    ...optionsOf(presets, /^docusaurus-preset-openapi$/).flatMap((one) => one.get('api') ?? []),
    ...optionsOf(plugins, /^docusaurus-plugin-openapi$/),
  ];
  return [
    ...redoc
      .flatMap((one) => one.get('specs')?.items ?? [])
      .flatMap((one) => documentAt(one, 'spec', 'route')),
    ...docs
      .flatMap((one) => [...(one.get('config')?.members.values() ?? [])])
      .flatMap((one) => documentAt(one, 'specPath')),
    ...openapi.flatMap((one) => documentAt(one, 'path', 'routeBasePath')),
  ];
}

function documentAt(options: ImportedValue, key: string, routeKey = ''): NamedDocument[] {
  const value = options.get(key);
  const route = options.get(routeKey)?.text?.replace(/^\/*|\/+$/g, '');
  return value?.text === undefined ? [] : [{ value, route: route && `/${route}` }];
}
