import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { ChangeList } from '../src/change.ts';
import { changesGithub } from '../src/formats/github.ts';
import { changesGitlab } from '../src/formats/gitlab.ts';
import { changesJunit } from '../src/formats/junit.ts';
import { changesMarkdown } from '../src/formats/markdown.ts';
import { changesSarif } from '../src/formats/sarif.ts';
import { changesText } from '../src/formats/text.ts';
import { listOf } from '../src/report.ts';
import { compare } from './compare.ts';

// Documents are of strangers. What they call things must not become a command, a mark or another line of a report.

const LINES = 'a\nb\r\nc\u2028d\u0085e';
const HOSTILE = [
  LINES,
  '::error::mine',
  '%0A::add-mask::x',
  ']]><script>',
  'a|b</details><b>@team',
  '`x` ![i](http://evil.example/i)',
  '\u202edrawkcab\u2066',
  '\u001b[31mred\u0007',
  '\0\ud800',
  'x'.repeat(1_000_000),
];

/** Each as a path, a property, a value and a description. */
const documentOf = (names: readonly string[], type: string) => ({
  openapi: '3.1.0',
  info: { title: names[0] ?? '', version: '1', description: names.join('') },
  paths: Object.fromEntries(
    names.map((name) => [
      `/${name}`,
      {
        get: {
          summary: `${type} ${name}`,
          responses: {
            200: {
              description: `${type} ${name}`,
              content: {
                'application/json': {
                  schema: { type: 'object', properties: { [name]: { type, enum: [name, type] } } },
                },
              },
            },
          },
        },
      },
    ]),
  ),
});

const list: ChangeList = listOf(
  compare(documentOf([...HOSTILE, 'gone'], 'string'), documentOf(HOSTILE, 'integer')).map(
    (change) => ({
      ...change,
      old: change.old && { ...change.old, file: 'a b,:%#?\n.yaml', line: 3 },
      new: change.new && { ...change.new, file: 'ü[1].yaml', line: null },
    }),
  ),
);

/** A report that people read has no more than what a reader can use of a name of a megabyte. */
const assertBounded = (text: string) =>
  assert.ok(text.length < 1_000_000, `${text.length} letters`);

test('commands of GitHub are one line each, as its runner escapes them, and none is of the document', () => {
  const text = changesGithub(list);
  assertBounded(text);
  const lines = text.trimEnd().split(/[\r\n]/);
  for (const line of lines) {
    const [, properties = '', data = ''] =
      /^::(?:error|warning|notice) ([^:]*)::(.*)$/s.exec(line) ?? [];
    assert.notEqual(properties, '', line.slice(0, 200));
    // The runner divides at commas and at the first `=`, and reads these escapes.
    for (const one of properties.split(','))
      assert.match(one, /^(?:file|line|title)=(?:[^%\r\n:,]|%(?:25|0D|0A|3A|2C))*$/);
    assert.doesNotMatch(data, /%(?!25|0D|0A)/);
  }
  assert.ok(lines.length > HOSTILE.length);
});

test('a report for GitLab has what its documents demand, and a fingerprint of its own for each change', () => {
  const text = changesGitlab(list);
  assertBounded(text);
  assert.ok(text.isWellFormed());
  const report = JSON.parse(text) as {
    description: string;
    check_name: string;
    fingerprint: string;
    severity: string;
    location: { path: string; lines: { begin: number } };
  }[];
  assert.equal(report.length, list.changes.length);
  for (const { description, check_name, fingerprint, severity, location } of report) {
    assert.ok(description.length > 0 && check_name.length > 0);
    assert.match(fingerprint, /^[0-9a-f]{16}$/);
    assert.ok(['info', 'minor', 'major', 'critical', 'blocker'].includes(severity));
    assert.ok(!location.path.startsWith('./'));
    assert.ok(Number.isInteger(location.lines.begin) && location.lines.begin > 0);
  }
  assert.equal(new Set(report.map(({ fingerprint }) => fingerprint)).size, report.length);
});

test('SARIF has places that are references of RFC 3986, and texts without links of the document', () => {
  const text = changesSarif(list);
  assertBounded(text);
  assert.ok(text.isWellFormed());
  const [run] = JSON.parse(text).runs;
  for (const { message, locations, ruleIndex, ruleId } of run.results) {
    assert.equal(run.tool.driver.rules[ruleIndex].id, ruleId);
    // Section 3.11.6: `[text](target)` is a link, unless its brackets are escaped.
    assert.doesNotMatch(message.text, /(?<!\\)\[[^\]]*(?<!\\)\]\(/);
    for (const { physicalLocation } of locations) {
      const { uri } = physicalLocation.artifactLocation;
      assert.match(uri, /^(?:[\w.~!$&'()*+;=@/-]|%[0-9A-F]{2})+$/);
      assert.ok(['a b,:%#?\n.yaml', 'ü[1].yaml'].includes(decodeURIComponent(uri)));
      assert.ok(physicalLocation.region.startLine >= 1);
    }
  }
});

/** Of the schema that Jenkins' xUnit plugin holds reports to, junit-10.xsd: what each element may have, required first. */
const JUNIT: Readonly<
  Record<string, { attributes: RegExp; required: string[]; children: string[] }>
> = {
  testsuites: {
    attributes: /^(name|time|tests|failures|errors)$/,
    required: [],
    children: ['testsuite'],
  },
  testsuite: {
    attributes:
      /^(name|tests|failures|errors|group|time|skipped|timestamp|hostname|id|package|file|log|url)$/,
    required: ['name', 'tests', 'failures', 'errors'],
    children: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
  },
  testcase: {
    attributes: /^(name|time|classname|group)$/,
    required: ['name'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  failure: { attributes: /^(type|message)$/, required: [], children: ['#text'] },
  'system-out': { attributes: /^$/, required: [], children: ['#text'] },
};

type Xml = Readonly<Record<string, unknown>>;

function checkJunit(elements: readonly Xml[], allowed: readonly string[]): void {
  for (const { ':@': attributes = {}, ...element } of elements) {
    const [name = ''] = Object.keys(element);
    assert.ok(allowed.includes(name), name);
    if (name === '#text') continue;
    const rule = JUNIT[name];
    assert.ok(rule, name);
    const names = Object.keys(attributes as Xml);
    for (const one of names) assert.match(one, rule.attributes, `${name} ${one}`);
    for (const one of rule.required) assert.ok(names.includes(one), `${name} ${one}`);
    checkJunit(element[name] as Xml[], rule.children);
  }
}

test("JUnit's XML is well-formed and as Jenkins' schema has it", () => {
  for (const [of, failing] of [
    [list, ['breaking', 'risky']],
    [listOf([]), ['breaking']],
  ] as const) {
    const text = changesJunit(of, failing);
    assertBounded(text);
    assert.equal(XMLValidator.validate(text), true);
    // XML 1.0, section 2.2: these are no characters, and not even to be written as references.
    assert.doesNotMatch(text, /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
    const parser = new XMLParser({
      preserveOrder: true,
      ignoreAttributes: false,
      attributeNamePrefix: '',
      ignoreDeclaration: true,
    });
    checkJunit(parser.parse(text) as Xml[], ['testsuites']);
  }
});

test('in tables and in a terminal a change is one line, in which nothing moves or turns around', () => {
  const markdown = changesMarkdown(list);
  assert.ok(markdown.length <= 60_000);
  const rows = markdown.split('\n').filter((line) => line.startsWith('|'));
  for (const row of rows) assert.equal(row.split(/(?<!\\)\|/).length, 5, row.slice(0, 200));
  const outside = markdown.replace(/`[^`\n]*`/g, '');
  assert.doesNotMatch(outside, /<b>|<script|@team|\]\(http/);
  const text = changesText(list);
  assertBounded(text);
  // Controls, other ends of lines, and what turns the order of letters around.
  for (const one of [markdown, text, changesGithub(list)])
    assert.doesNotMatch(
      one,
      /[\0-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/,
    );
});
