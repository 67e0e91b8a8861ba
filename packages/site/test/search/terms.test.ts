import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearWords } from '../../src/search/near-words.ts';
import { pathShare } from '../../src/search/path-query.ts';
import {
  type DocumentPosting,
  encodeDocuments,
  encodePlaces,
  forEachDocument,
  forEachPlace,
  type PlacePosting,
} from '../../src/search/postings.ts';
import { fold, indexTerms, queryTerms } from '../../src/search/terms.ts';
import { packWords, unpackWords } from '../../src/search/words.ts';

test('words are found by their parts, and scripts without spaces by two letters', () => {
  const wholes = (query: string) => queryTerms(query).map(({ whole }) => whole);
  assert.deepEqual(indexTerms('listPets pet_id'), [
    'listpets',
    'list',
    'pets',
    'petid',
    'pet',
    'id',
  ]);
  assert.deepEqual(indexTerms('HTTPServer'), ['httpserver', 'http', 'server']);
  assert.deepEqual(indexTerms('安装包'), ['安', '装', '包', '安装', '装包']);
  assert.deepEqual(wholes('安装包'), ['安装', '装包']);
  assert.deepEqual(wholes('包'), ['包']);
  assert.deepEqual(wholes('API安装'), ['api', '安装']);
  assert.deepEqual(wholes(' …!? '), []);
  assert.equal(indexTerms('x'.repeat(5_000))[0]?.length, 40);
});

test('vowels that are marks belong to their words, and points and accents do not', () => {
  assert.deepEqual(indexTerms('भुगतान'), ['भुगतान']);
  assert.deepEqual(indexTerms('பணம் செலுத்து'), ['பணம்', 'செலுத்து']);
  assert.deepEqual(indexTerms('ẹ̀kọ́'), ['eko']);
  assert.deepEqual(indexTerms('1️⃣ ℹ️'), ['1', 'i']);
  assert.equal(fold('كِتَابٌ'), 'كتاب');
  assert.equal(fold('שָׁלוֹם'), 'שלום');
  assert.equal(fold('й Ё が'), 'и е が');
  assert.equal(fold('भुगतान'), 'भुगतान');
});

test('what is packed is the same when it is unpacked', () => {
  const words = ['list', 'liste', 'lists', 'liter', 'über', '安装'];
  assert.deepEqual(unpackWords(packWords(words)), words);
  assert.deepEqual(unpackWords(packWords([])), []);
  const documents = [
    { document: 0, weight: 1 },
    { document: 7, weight: 31 },
  ];
  const listed: DocumentPosting[] = [];
  forEachDocument(encodeDocuments(documents), (document, weight) =>
    listed.push({ document, weight }),
  );
  assert.deepEqual(listed, documents);
  const places = [
    { document: 2, place: 0, match: 3 },
    { document: 2, place: 511, match: 0 },
    { document: 9, place: 1, match: 1 },
  ];
  const named: PlacePosting[] = [];
  forEachPlace(encodePlaces(places), (document, place, match) =>
    named.push({ document, place, match }),
  );
  assert.deepEqual(named, places);
});

test('the nearest word comes first, and an unfinished one is near too', () => {
  const words = ['lists', 'list', 'retrieve', 'retrieval', 'repository', 'pet', 'put'];
  const near = (typed: string) => nearWords(typed, words).map(({ word }) => word);
  assert.deepEqual(near('lsit'), ['list', 'lists']);
  assert.equal(near('retreive')[0], 'retrieve');
  assert.deepEqual(near('repostio'), ['repository']);
  assert.deepEqual(near('zzz'), []);
  assert.deepEqual(near('pe'), []);
});

test('a path is recognised with values for its parameters and behind that of a server', () => {
  const cases = [
    ['/pets/{petId}', 1],
    ['/pets/7', 1],
    ['/PETS/7/', 1],
    ['GET /pets/7?a=b#c', 1],
    ['https://api.test/pets/7', 1],
    ['https://api.test/v1/pets/7', 2 / 3],
    ['POST /pets/7', 0],
    ['/pets', 0],
    ['/pets/7/toys', 0],
    ['pets', 0],
    ['/', 0],
  ] as const;
  for (const [query, share] of cases) {
    assert.equal(pathShare('/pets/{petId}', 'GET', query), share, query);
  }
});
