import { frontMatter, type ImportedValue, type Place } from './imported-value.ts';
import type { SourceFolder } from './source-folder.ts';

/** A page of a Docusaurus folder. */
export interface Doc {
  readonly file: string;
  /** By which sidebars name it: its path without endings and numbers, and its last part as its front matter says. */
  readonly id: string;
  /** Its folder below that of the docs, without numbers: `guides/advanced`; empty for that itself. */
  readonly folder: string;
  /** Where Docusaurus has it, without a slash at the end: `/docs/guides/start`. */
  readonly address: string;
  /** In the navigation; undefined for its own title. */
  readonly label: string | undefined;
  readonly position: number | undefined;
  /** Drafts are not published, and unlisted pages in no list. */
  readonly isDraft: boolean;
  readonly isUnlisted: boolean;
  /** Whether it is the page of its folder. */
  readonly isIndex: boolean;
  readonly place: Place;
}

/** `01-intro`, `1. intro`, `01_intro`: the number says the order only. */
const NUMBER = /^(\d+)\s*[-_.]+\s*(?=[^-_.\s])/;

/** What looks like a date or a version is no number. */
const NO_NUMBER = /^(?:\d{2,4}[-_.]\d{2}(?:[-_.]\d{2,4})?|\d+[-_.]\d+)/;

/** A name of a file or folder without the number in front of it. */
export function withoutNumber(name: string): { name: string; number: number | undefined } {
  const found = NO_NUMBER.test(name) ? null : NUMBER.exec(name);
  return found
    ? { name: name.slice(found[0].length), number: Number(found[1]) }
    : { name, number: undefined };
}

/** The pages of the folder `root`, which Docusaurus has below the path `base` (`/docs`, or nothing). */
export async function readDocs(folder: SourceFolder, root: string, base: string): Promise<Doc[]> {
  const own = [...folder.files].filter((file) => {
    const isIn = file.startsWith(`${root}/`) && /\.mdx?$/i.test(file);
    // Parts of pages, which others include.
    return (
      isIn &&
      !file
        .slice(root.length)
        .split('/')
        .some((name) => name.startsWith('_'))
    );
  });
  return Promise.all(
    own.map(async (file) => docOf(file, root, base, frontMatter(await folder.read(file), file))),
  );
}

function docOf(file: string, root: string, base: string, matter: ImportedValue): Doc {
  const names = file
    .slice(root.length + 1)
    .replace(/\.mdx?$/i, '')
    .split('/');
  const last = withoutNumber(names.pop() ?? '');
  const folders = names.map((name) => withoutNumber(name).name);
  const folder = folders.join('/');
  const id = [...folders, matter.get('id')?.text ?? last.name].join('/');
  const isIndex =
    /^(?:index|readme)$/i.test(last.name) ||
    last.name.toLowerCase() === folders.at(-1)?.toLowerCase();
  const slug = matter.get('slug')?.text;
  const own = isIndex ? folder : id;
  const relative = slug === undefined ? own : slug.startsWith('/') ? slug : `${folder}/${slug}`;
  const address = `${base}/${relative}`.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  return {
    ...{ file, id, folder, address, isIndex },
    label: matter.get('sidebar_label')?.text,
    position: matter.get('sidebar_position')?.number ?? last.number,
    isDraft: matter.get('draft')?.isTrue === true,
    isUnlisted: matter.get('unlisted')?.isTrue === true,
    place: { file, line: 1 },
  };
}
