import { csharpHttpclient } from '@scalar/snippetz/plugins/csharp/httpclient';
import { goNative } from '@scalar/snippetz/plugins/go/native';
import { javaNethttp } from '@scalar/snippetz/plugins/java/nethttp';
import { jsFetch } from '@scalar/snippetz/plugins/js/fetch';
import { kotlinOkhttp } from '@scalar/snippetz/plugins/kotlin/okhttp';
import { nodeAxios } from '@scalar/snippetz/plugins/node/axios';
import { phpGuzzle } from '@scalar/snippetz/plugins/php/guzzle';
import { powershellRestmethod } from '@scalar/snippetz/plugins/powershell/restmethod';
import { pythonRequests } from '@scalar/snippetz/plugins/python/requests';
import { rubyNative } from '@scalar/snippetz/plugins/ruby/native';
import { rustReqwest } from '@scalar/snippetz/plugins/rust/reqwest';
import { swiftNsurlsession } from '@scalar/snippetz/plugins/swift/nsurlsession';
import type { BuiltRequest } from '../request/build-request.ts';
import { curlCommand } from '../request/curl.ts';
import type { OperationData } from '../request/operation-data.ts';
import { exactNumbers } from './exact-numbers.ts';
import { type HarRequest, harRequest, type Quirks } from './har-request.ts';
import { httpText } from './http-text.ts';
import type { SampleLanguage } from './languages.ts';
import { sampleRequest } from './sample-request.ts';

interface Snippet extends Quirks {
  readonly plugin: { generate(request: HarRequest): string };
  /** What the plugin leaves out before its code. */
  readonly before?: string;
}

/** Within quotation marks of C# and the like. */
const backslashed = (text: string) => text.replace(/["'\\]/g, '\\$&').replace(/\s+/g, ' ');
const quoted = (text: string) => text.replace(/["\\]/g, '\\$&').replace(/\s+/g, ' ');

const SNIPPETS: Readonly<Record<Exclude<SampleLanguage, 'curl' | 'http'>, Snippet>> = {
  javascript: { plugin: jsFetch, hasFloats: true, escapePart: backslashed },
  node: { plugin: nodeAxios, hasFloats: true },
  python: { plugin: pythonRequests, textType: 'application/json', before: 'import requests\n\n' },
  go: { plugin: goNative },
  java: { plugin: javaNethttp },
  kotlin: { plugin: kotlinOkhttp, isTyped: true },
  csharp: { plugin: csharpHttpclient, isTyped: true, escapeHeader: quoted, escapeField: quoted },
  php: { plugin: phpGuzzle },
  ruby: { plugin: rubyNative },
  rust: { plugin: rustReqwest },
  swift: { plugin: swiftNsurlsession },
  powershell: { plugin: powershellRestmethod },
};

/** An operation's example in a language. `origin` is put before addresses of the site itself. */
export function snippet(data: OperationData, language: SampleLanguage, origin?: string): string {
  const request = sampleRequest(data, origin);
  if (language === 'curl') return curlCommand(request);
  if (language === 'http') return httpText(request);
  return exactly(request, SNIPPETS[language]);
}

/** The plugins read JSON, so its numbers would lose digits; and they write braces of a path as percent triples. */
function exactly(request: BuiltRequest, { plugin, before = '', ...quirks }: Snippet): string {
  const { body } = request;
  const numbers = exactNumbers(body?.kind === 'text' ? body.text : '');
  const safe =
    body?.kind === 'text' ? { ...request, body: { ...body, text: numbers.text } } : request;
  const isRounded = quirks.hasFloats === true && numbers.isBeyondFloats;
  const made = plugin.generate(harRequest(safe, { ...quirks, isRaw: isRounded }));
  const exact = numbers.restore(made).replace(/%7B([\w.-]+)%7D/g, '{$1}');
  return `${before}${exact.trim()}`;
}
