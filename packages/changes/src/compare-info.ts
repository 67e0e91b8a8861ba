import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { type ApiDocument, type At, memberOf, textIn } from './api-document.ts';
import type { Comparison } from './comparison.ts';
import { isEqual } from './sameness.ts';

const INFO = ['title', 'summary', 'description', 'termsOfService', 'contact', 'license'];

/** Compares what a document says of itself: `info`, `tags`, `externalDocs`. */
export function compareInfo({ old, new: now, report }: Comparison): void {
  const [before, after] = [memberOf(old.root, 'info'), memberOf(now.root, 'info')];
  const [version, next] = [
    before && memberOf(before, 'version'),
    after && memberOf(after, 'version'),
  ];
  if (!isEqual(version?.value, next?.value))
    report.add('version-changed', null, {
      ...{ subject: 'the version of the API', old: version ?? null, new: next ?? null },
      said: { old: version?.value ?? 'none', new: next?.value ?? 'none' },
    });
  for (const name of INFO) {
    const [one, other] = [before && memberOf(before, name), after && memberOf(after, name)];
    if (!isEqual(one?.value, other?.value))
      report.add('info-changed', null, {
        ...{ subject: `\`${name}\` of the API`, old: one ?? null, new: other ?? null },
      });
  }
  const docs = [memberOf(old.root, 'externalDocs'), memberOf(now.root, 'externalDocs')];
  if (!isEqual(docs[0]?.value, docs[1]?.value))
    report.add('external-docs-changed', null, {
      ...{ subject: 'the API', old: docs[0] ?? null, new: docs[1] ?? null },
    });
  const [tags, others] = [tagsOf(old), tagsOf(now)];
  for (const name of new Set([...tags.keys(), ...others.keys()])) {
    const [one, other] = [tags.get(name), others.get(name)];
    if (isEqual(one?.value, other?.value)) continue;
    report.add('tag-description-changed', null, {
      ...{ subject: `tag \`${name}\``, old: one ?? null, new: other ?? null },
    });
  }
}

function tagsOf(document: ApiDocument): Map<string, At> {
  const tags = new Map<string, At>();
  for (const tag of document.items(document.root, 'tags')) {
    const name = textIn(tag, 'name');
    if (isObject(tag.value) && name !== undefined) tags.set(name, tag);
  }
  return tags;
}
