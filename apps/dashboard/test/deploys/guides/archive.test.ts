import assert from 'node:assert/strict';
import { posix, win32 } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { BuildProblem } from '@petstore/site/build-log.ts';
import { coverNothing } from '@petstore/test-support/program.ts';
import fc from 'fast-check';
import { readArchive } from '../../../server/src/deploys/build/archive/read-archive.ts';
import { DEPLOY_LIMITS } from '../../../server/src/deploys/deploy-limits.ts';
import { type TarEntry, tarGzOf, tarOf, type ZipEntry, zipOf } from '../../support/archives.ts';

coverNothing();

const MB = 1_000_000;

async function read(kind: 'tar.gz' | 'zip', bytes: Uint8Array, limits = DEPLOY_LIMITS) {
  const result = await readArchive(kind, bytes, 'docs', limits);
  return 'files' in result
    ? Object.fromEntries([...result.files].map(([path, text]) => [path, String(text)]))
    : result.problems;
}

async function refusal(kind: 'tar.gz' | 'zip', bytes: Uint8Array, limits = DEPLOY_LIMITS) {
  const result = await readArchive(kind, bytes, 'docs', limits);
  assert.ok('problems' in result, 'the archive was read');
  assert.equal(result.problems.length, 1);
  return result.problems[0] as BuildProblem;
}

test('both formats give the same files, without the folder around them and what macOS adds', async () => {
  const files = [
    ['site/docs.yaml', 'title: T'],
    ['site/guides/start.md', '# Start'],
    ['site/guides/安装.md', '# 安装'],
    ['site/.DS_Store', 'x'],
    ['site/guides/._start.md', 'x'],
    ['__MACOSX/site/._docs.yaml', 'x'],
  ] as const;
  const expected = {
    'docs.yaml': 'title: T',
    'guides/start.md': '# Start',
    'guides/安装.md': '# 安装',
  };
  const tar = await tarGzOf([
    { name: './site/', type: 'directory' },
    ...files.map(([name, content]) => ({ name: `./${name}`, content })),
  ]);
  const zip = zipOf([
    { name: 'site/', mode: 0o040755, stored: true },
    ...files.map(([name, content]) => ({ name, content })),
  ]);
  assert.deepEqual(await read('tar.gz', tar), expected);
  assert.deepEqual(await read('zip', zip), expected);
  // Without the flag that says that names are UTF-8, as many tools write it.
  assert.deepEqual(await read('zip', zipOf([{ name: '安装.md', content: 'x', flags: 0 }])), {
    '安装.md': 'x',
  });
});

test('a file at the root keeps the folders beside it', async () => {
  const tar = await tarGzOf([
    { name: 'docs.yaml', content: 'a' },
    { name: 'guides/x.md', content: 'b' },
  ]);
  assert.deepEqual(await read('tar.gz', tar), { 'docs.yaml': 'a', 'guides/x.md': 'b' });
});

const NAMES: readonly [name: string, rule: RegExp][] = [
  ['../x.md', /“\.\.”/],
  ['a/../../x.md', /“\.\.”/],
  ['/etc/passwd', /absolute/],
  ['a\\b.md', /backslash/],
  ['C:/x.md', /drive letter/],
  ['c:x.md', /drive letter/],
  ['./c:/x.md', /drive letter/],
  ['a/C:/x.md', /drive letter/],
  ['a\nb.md', /control character/],
  ['a\u0085b.md', /control character/],
  ['a//b.md', /empty/],
  ['a/./b.md', /“\.”/],
  [`${'x'.repeat(250)}.md/yy`, /255 bytes/],
  [`${'安'.repeat(85)}.md`, /255 bytes/],
  [`${'d/'.repeat(16)}x.md`, /16 levels/],
];

test('names that mean another place are refused, by name and rule', async () => {
  for (const [name, rule] of NAMES) {
    const tar = await refusal('tar.gz', await tarGzOf([{ name, content: 'x' }]));
    const zip = await refusal('zip', zipOf([{ name, content: 'x' }]));
    assert.match(tar.message, rule, name);
    assert.match(zip.message, rule, name);
    assert.notEqual(zip.path, 'docs', 'the problem names the entry');
  }
  const notText = zipOf([{ name: Buffer.from([0x61, 0xff, 0x2e, 0x6d, 0x64]), content: 'x' }]);
  assert.match((await refusal('zip', notText)).message, /UTF-8/);
  const withNul = zipOf([{ name: 'a\0.md', content: 'x' }]);
  assert.match((await refusal('zip', withNul)).message, /control character/);
});

test('names that are one file on some systems are refused', async () => {
  const pairs = [
    ['a.md', 'a.md', /twice/],
    ['a.md', 'A.md', /ignore case/],
    ['caf\u00e9.md', 'cafe\u0301.md', /twice/],
    ['stra\u00dfe.md', 'STRASSE.md', /ignore case/],
    ['a', 'a/b.md', /a file and a folder/],
  ] as const;
  for (const [first, second, rule] of pairs) {
    const entries = [first, second].map((name) => ({ name, content: 'x' }));
    const tar = await refusal('tar.gz', await tarGzOf(entries));
    assert.match(tar.message, rule, second);
    assert.match((await refusal('zip', zipOf(entries))).message, rule, second);
  }
});

/** The archive with its first header changed, and the checksum made right for it. */
function withHeader(tar: Buffer, change: (header: Buffer) => void): Buffer {
  const header = tar.subarray(0, 512);
  change(header);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return tar;
}

test('links, devices, pipes and sparse files are refused in tar', async () => {
  const entries: readonly [TarEntry, RegExp][] = [
    [{ name: 'l.md', type: 'symlink', linkname: '/etc/passwd' }, /symbolic link/],
    [{ name: 'l.md', type: 'link', linkname: 'docs.yaml' }, /hard link/],
    [{ name: 'l.md', type: 'character-device' }, /device/],
    [{ name: 'l.md', type: 'block-device' }, /device/],
    [{ name: 'l.md', type: 'fifo' }, /named pipe/],
    [{ name: 'l.md', content: 'x', pax: { 'GNU.sparse.major': '1' } }, /sparse/],
  ];
  for (const [entry, rule] of entries) {
    const problem = await refusal('tar.gz', await tarGzOf([entry]));
    assert.match(problem.message, rule);
    assert.match(problem.message, /“l\.md”/);
  }
  const oldSparse = withHeader(await tarOf([{ name: 's.md', content: 'x' }]), (header) =>
    header.write('S', 156),
  );
  assert.match((await refusal('tar.gz', gzipSync(oldSparse))).message, /unknown/);
});

/** The same record in its large form (APPNOTE, sections 4.3.14 and 4.3.15), before the plain one. */
function zip64End(end: Buffer): Buffer {
  const directory = end.readUInt32LE(12);
  const start = end.readUInt32LE(16);
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(1n, 32);
  record.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + directory), 8);
  return Buffer.concat([record, locator, end]);
}

test('what zip can hide is refused', async () => {
  const content = 'x'.repeat(1_000);
  const one: ZipEntry = { name: 'a.md', content };
  const archives: readonly [title: string, Buffer, RegExp][] = [
    ['a symbolic link', zipOf([{ ...one, mode: 0o120777 }]), /symbolic link/],
    ['a device', zipOf([{ ...one, mode: 0o060644 }]), /device/],
    ['encryption', zipOf([{ ...one, flags: 0x801 }]), /encrypted/],
    ['an unknown compression', zipOf([{ ...one, method: 14 }]), /unknown here/],
    ['a size that is too small', zipOf([{ ...one, size: 10 }]), /damaged/],
    ['a size that is too large', zipOf([{ ...one, size: 2_000 }]), /damaged/],
    ['a wrong checksum', zipOf([{ ...one, crc: 1 }]), /damaged/],
    ['bytes behind the content', zipOf([{ ...one, trailer: Buffer.from('more') }]), /damaged/],
    ['another name in the other list', zipOf([{ ...one, localName: 'b.md' }]), /two lists/],
    ['a folder with content', zipOf([{ ...one, name: 'a/' }]), /folder/],
    ['overlaps', zipOf([one, { name: 'a.md', content, offset: 0 }]), /twice/],
    [
      'shared bytes',
      zipOf([
        { ...one, stored: true, localName: 'a.md' },
        { name: 'b.md', content, offset: 0, localName: 'b.md' },
      ]),
      /two lists|shares/,
    ],
    ['a beginning', Buffer.concat([Buffer.from('#!'), zipOf([one])]), /precedes|cannot be read/],
    ['an end', Buffer.concat([zipOf([one]), Buffer.from('more')]), /cannot be read/],
    ['truncation', zipOf([one]).subarray(0, -30), /cannot be read/],
    [
      'fewer entries than there are',
      zipOf([one, { name: 'b.md' }], (end) => {
        end.writeUInt16LE(1, 10);
        return end;
      }),
      /does not end/,
    ],
    ['zip64', zipOf([one], zip64End), /zip64 format/],
  ];
  for (const [title, bytes, rule] of archives) {
    assert.match((await refusal('zip', bytes)).message, rule, title);
  }
});

test('an entry that is listed twice under two names is refused: that is how small bombs are made', async () => {
  // Both headers of the second lie inside the content of the first.
  const inner = zipOf([{ name: 'b.md', content: 'y'.repeat(100), stored: true }]);
  const local = inner.subarray(0, 30 + 4 + 100);
  const start = 30 + 4;
  const bytes = zipOf([
    { name: 'a.md', content: local, stored: true },
    { name: 'b.md', content: 'y'.repeat(100), stored: true, offset: start },
  ]);
  assert.match((await refusal('zip', bytes)).message, /shares bytes/);
});

test('what is damaged, cut off or followed by something is refused in tar', async () => {
  const whole = await tarGzOf([{ name: 'a.md', content: 'x'.repeat(5_000) }]);
  const archives = [
    whole.subarray(0, -5),
    whole.subarray(0, 60),
    Buffer.concat([whole, Buffer.from('more')]),
    Buffer.from('no archive'),
    Buffer.alloc(0),
    gzipSync('no tar '.repeat(1_000)),
    gzipSync((await tarOf([{ name: 'a.md', content: 'x'.repeat(5_000) }])).subarray(0, 2_000)),
  ];
  for (const bytes of archives) {
    assert.match((await refusal('tar.gz', bytes)).message, /cannot be read/);
  }
});

test('sizes that no entry has are refused in tar: they would be waited for, or gathered, without end', async () => {
  const headers: readonly [title: string, content: Uint8Array, (header: Buffer) => void][] = [
    // In base 256, which begins with a byte from 0x80 on.
    ['negative', Buffer.alloc(512), (header) => header.fill(0xff, 124, 136).fill(0xfd, 134, 135)],
    ['no number', Buffer.alloc(512), (header) => header.write('z'.repeat(11), 124)],
    ['5 MB of attributes', Buffer.alloc(5 * MB), (header) => header.write('x', 156)],
  ];
  for (const [title, content, change] of headers) {
    const tar = withHeader(await tarOf([{ name: 'a.md', content }]), change);
    assert.match((await refusal('tar.gz', gzipSync(tar))).message, /cannot be read/, title);
  }
});

test('more files than the operator allows are refused, with how many they are', async () => {
  const limits = { ...DEPLOY_LIMITS, archiveFiles: 2_000 };
  const entries = Array.from({ length: 2_123 }, (_, at) => ({ name: `f${at}.md`, content: 'x' }));
  const says = /holds 2,123 files, 123 more than .* limit of 2,000 \(DASHBOARD_MAX_ARCHIVE_FILES\)/;
  assert.match((await refusal('tar.gz', await tarGzOf(entries), limits)).message, says);
  assert.match((await refusal('zip', zipOf(entries), limits)).message, says);
  assert.equal(
    Object.keys(await read('zip', zipOf(entries.slice(0, 2_000)), limits)).length,
    2_000,
  );
  const folders = Array.from({ length: 10_001 }, (_, at) => ({ name: `f${at}/` }));
  const many = zipOf(
    folders.map((folder) => ({ ...folder, mode: 0o040755, stored: true as const })),
  );
  assert.match((await refusal('zip', many, limits)).message, /more than 10,000 entries/);
});

test('bombs are given up at the limit, with little memory', async () => {
  const zeros = gzipSync(Buffer.alloc(64 * MB));
  // Six gigabytes of nothing, in 6 MB.
  const nothing = Buffer.concat(Array.from({ length: 100 }, () => zeros));
  const large = await tarGzOf([{ name: 'z.md', content: Buffer.alloc(11 * MB) }]);
  const largeZip = zipOf([{ name: 'z.md', content: Buffer.alloc(11 * MB) }]);
  const liar = zipOf([{ name: 'z.md', content: Buffer.alloc(300 * MB), size: 5 }]);
  const before = process.memoryUsage().rss;
  assert.match(
    (await refusal('tar.gz', nothing)).message,
    /more than the 200\.0 MB .*DASHBOARD_MAX_UNPACKED_BYTES/,
  );
  assert.match((await refusal('tar.gz', large)).message, /“z\.md” is larger than 10\.0 MB/);
  assert.match((await refusal('zip', largeZip)).message, /“z\.md” is larger than 10\.0 MB/);
  assert.match((await refusal('zip', liar)).message, /“z\.md” is larger than 10\.0 MB/);
  const grown = (process.memoryUsage().rss - before) / MB;
  assert.ok(grown < 120, `${grown} MB`);

  const tenths = Array.from({ length: 30 }, (_, at) => ({
    name: `${at}.md`,
    content: Buffer.alloc(9 * MB),
  }));
  assert.match((await refusal('zip', zipOf(tenths))).message, /more than 100 times its size/);
  // A document may be as large as an upload.
  const document = { name: 'z.yaml', content: Buffer.alloc(11 * MB, ' x') };
  const files = await read(
    'tar.gz',
    await tarGzOf([document, { name: 'docs.yaml', content: 'title: T' }]),
  );
  assert.deepEqual(Object.keys(files), ['z.yaml', 'docs.yaml']);
});

test('no name leads out of the folder, whatever it is', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      '',
      '/',
      '\\',
      'C:',
      '\0',
      '\ufffd',
      '%2e%2e',
      '..%2f',
      '．．',
      'a',
      '~',
    ),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );
  const name = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join('/'));
  await fc.assert(
    fc.asyncProperty(name, fc.constantFrom('/', ''), async (tried, joint) => {
      const bytes = zipOf([
        { name: `x.md` },
        { name: tried.replaceAll('/', joint) || 'y', content: '' },
      ]);
      const result = await readArchive('zip', bytes, 'docs', DEPLOY_LIMITS);
      for (const path of 'files' in result ? result.files.keys() : []) {
        assert.ok(posix.resolve('/docs', path).startsWith('/docs/'), path);
        assert.ok(win32.resolve('C:\\docs', path).startsWith('C:\\docs\\'), path);
        assert.ok(!/\p{Cc}/u.test(path), path);
      }
    }),
    { numRuns: 500 },
  );
});
