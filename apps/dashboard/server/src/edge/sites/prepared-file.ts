import { entityTag } from '@petstore/http/entity-tags.ts';
import { STATUS_CODES, validateHeaderValue } from '@petstore/http/node-http.ts';
import type { Manifest } from '../../deploys/artifact.ts';
import { fileKind, type Tally, tallyOf } from '../metrics/response-kind.ts';
import { type Reading, readingOf } from '../readers/reading.ts';
import type { PageEdition } from '../versions/site-editions.ts';
import { type ContentSource, editionMark } from './content-source.ts';
import { fileHeaders, type Headers, type ServedFile } from './file-headers.ts';
import type { Form, FormsOf } from './forms.ts';
import { markdownOf } from './manifest-paths.ts';
import type { Site } from './site-source.ts';

/** A site's page for paths that it does not have. */
export const NOT_FOUND_PAGE = '/404.html';

/** A file in one content coding. */
export interface Representation {
  readonly source: ContentSource;
  readonly size: number;
  /** Strong, quotes included. */
  readonly etag: string;
  /** The headers of a response with the whole content. */
  readonly headers: Headers;
  /** The same without Content-Length: for a response with a range. */
  readonly rangeHeaders: Headers;
  readonly notModifiedHeaders: Headers;
  /** `headers` behind their status line, as they go over the wire, without the empty line. */
  readonly head: string;
  readonly notModifiedHead: string;
}

/** A file of a site with all that its responses share. */
export interface PreparedFile {
  /** Of the host: as long as it has this one, the file is as it was prepared. */
  readonly site: Site;
  readonly status: 200 | 404;
  readonly tally: Tally;
  readonly notModifiedTally: Tally;
  /** A page whose Markdown may be wanted instead. */
  readonly hasMarkdown: boolean;
  /** What is counted where it is read; undefined for all that nobody reads. */
  readonly reading: Reading | undefined;
  readonly representations: FormsOf<Representation>;
}

/** A form of a file, before it is prepared. */
export interface FileForm {
  readonly source: ContentSource;
  /** Bytes as they are sent. */
  readonly size: number;
}

/** Throws where a value of the manifest can't stand in a header. */
export function prepareFile(
  site: Site,
  manifest: Manifest,
  file: ServedFile,
  { identity, br, gzip }: FormsOf<FileForm>,
  edition?: PageEdition,
): PreparedFile {
  const status = file.path === NOT_FOUND_PAGE ? 404 : 200;
  const headers = fileHeaders(
    ...([site, manifest, file, br !== undefined || gzip !== undefined, edition] as const),
  );

  const representation = ({ source, size }: FileForm, coding: Form): Representation => {
    const described = [
      ...headers.withContent,
      ...(coding === 'identity' ? ['Accept-Ranges', 'bytes'] : ['Content-Encoding', coding]),
    ];
    // The tag covers the headers too: after a 304 a browser goes on with the headers that it has.
    const { origin, mark } = source.template
      ? { origin: source.template.origin, mark: editionMark(source.template) }
      : { origin: undefined, mark: '' };
    const etag = entityTag(JSON.stringify([source.hash + mark, origin, headers.always, described]));
    // A 404 takes no conditions and no ranges (RFC 9110, section 13.2.1). What is private is not kept, so it has no tag.
    const always =
      status === 404 || site.access ? headers.always : [...headers.always, 'ETag', etag];
    const rangeHeaders = [...always, ...described];
    const whole = [...rangeHeaders, 'Content-Length', String(size)];
    return {
      ...{ source, size, etag },
      headers: whole,
      rangeHeaders,
      notModifiedHeaders: always,
      head: headOf(status, whole),
      notModifiedHead: headOf(304, always),
    };
  };

  const kind = fileKind(file.entry.type);
  return {
    site: site.whole ?? site,
    status,
    tally: tallyOf(kind, status),
    notModifiedTally: tallyOf(kind, 304),
    hasMarkdown: markdownOf(manifest, file.path) !== undefined,
    reading: status === 200 ? readingOf(site, file) : undefined,
    representations: {
      identity: representation(identity, 'identity'),
      ...(br && { br: representation(br, 'br') }),
      ...(gzip && { gzip: representation(gzip, 'gzip') }),
    },
  };
}

function headOf(status: number, headers: Headers): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    validateHeaderValue(name, value);
    head += `${name}: ${value}\r\n`;
  }
  return head;
}
