import { type OpenIndex, openIndex } from '../../src/search/open-index.ts';
import { addressOf } from '../dom.ts';

let index: Promise<OpenIndex> | undefined;

/** The site's index: its first file is fetched once, and the titles after it. */
export function loadIndex(): Promise<OpenIndex> {
  index ??= openIndex(load).then((opened) => {
    opened.warm();
    return opened;
  });
  index.catch(forget);
  return index;
}

async function load(path: string): Promise<unknown> {
  try {
    const response = await fetch(addressOf(path));
    if (!response.ok) throw new Error(`${path} got ${response.status}`);
    return await response.json();
  } catch (error) {
    forget();
    throw error;
  }
}

/** After a new deploy, the files of the earlier index may be gone: the next search begins anew. */
function forget(): void {
  index = undefined;
}
