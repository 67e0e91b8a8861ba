import type { ChangeList } from '../change.ts';
import { RULES, type Verdict } from '../rules.ts';
import { fingerprint } from './gitlab.ts';
import { sentenceOf, sideOf } from './grouped.ts';

const LEVELS: Readonly<Record<Verdict, string>> = {
  breaking: 'error',
  risky: 'warning',
  compatible: 'note',
  documentation: 'note',
};

/** SARIF 2.1.0, which code scanning of GitHub's and others reads. */
export function changesSarif({ changes }: ChangeList): string {
  const codes = [...new Set(changes.map(({ code }) => code))].sort();
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'dashboard diff',
            rules: codes.map((code) => ({
              id: code,
              shortDescription: { text: code.replaceAll('-', ' ') },
              defaultConfiguration: { level: LEVELS[RULES.get(code)?.verdict ?? 'risky'] },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: changes.map((change) => {
          const { code, verdict, operation, message } = change;
          const side = sideOf(change);
          return {
            ruleId: code,
            ruleIndex: codes.indexOf(code),
            level: LEVELS[verdict],
            message: { text: withoutLinks(sentenceOf(change)) },
            locations: side
              ? [
                  {
                    physicalLocation: {
                      artifactLocation: { uri: uriOf(side.file) },
                      region: { startLine: side.line ?? 1 },
                    },
                  },
                ]
              : [],
            partialFingerprints: {
              'change/v1': fingerprint([
                code,
                operation,
                change.old?.pointer,
                change.new?.pointer,
                message,
              ]),
            },
          };
        }),
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

/** A path as a reference (RFC 3986): each of its names is escaped. An address is one already. */
const uriOf = (file: string): string =>
  /^https?:\/\//.test(file)
    ? encodeURI(file.toWellFormed())
    : file.toWellFormed().split('/').map(encodeURIComponent).join('/');

/** Section 3.11.6: `[text](target)` is a link, where its brackets are not escaped. */
const withoutLinks = (text: string): string =>
  text.replace(/[\\[\]]/g, (mark) => (text.includes('](') ? `\\${mark}` : mark));
