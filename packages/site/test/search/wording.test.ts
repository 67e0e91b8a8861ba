import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openIndex } from '../../src/search/open-index.ts';
import { search } from '../../src/search/search.ts';
import { searchFiles } from '../../src/search/search-files.ts';
import { loaderOf, referenceOf, searcherOf } from './search-index.ts';

// Readers ask in their own words, and documents have others.

const json = (properties: object) => ({
  content: { 'application/json': { schema: { type: 'object', properties } } },
});

const operation = (summary: string, more: object = {}) => ({
  summary,
  tags: ['Tasks'],
  responses: { 200: { description: 'Done' } },
  ...more,
});

const TASKS = {
  openapi: '3.1.0',
  info: { title: 'Tasks', version: '1' },
  tags: [{ name: 'Custom fields', description: 'Make a new field of a project how you like it.' }],
  paths: {
    '/tasks': { get: operation('Get tasks'), post: operation('Create a task') },
    '/tasks/{id}': {
      get: operation('Get a task'),
      put: operation('Update a task'),
      delete: operation('Delete a task', {
        description: 'A task that is deleted goes to the trash.',
      }),
    },
    '/tasks/{id}/removeTag': { post: operation('Remove a tag from a task') },
    '/tasks/{id}/removeProject': { post: operation('Remove a project from a task') },
    '/tasks/{id}/removeFollowers': { post: operation('Remove followers from a task') },
    '/tasks/{id}/removeParent': { post: operation('Remove the parent of a task') },
    '/projects': {
      post: operation('Create a project', { requestBody: json({ name: { type: 'string' } }) }),
    },
    '/fields': { post: operation('Create a custom field', { tags: ['Custom fields'] }) },
    '/attachments': {
      post: operation('Upload an attachment', {
        requestBody: json({ file: { type: 'string', description: 'The file.' } }),
      }),
    },
    '/bookings': { get: operation('Get existing bookings'), post: operation('Create a booking') },
    '/bookings/{id}/payment': {
      post: operation('Pay for a booking', { description: 'Then you get your ticket.' }),
    },
  },
};

test('verbs that mean the same find each other, and words that say little leave nothing out', async () => {
  const find = await searcherOf({ document: TASKS });
  const cases = [
    ['make a new project', 'Create a project', 1],
    ['how do I make a project', 'Create a project', 1],
    ['add task', 'Create a task', 1],
    ['edit a task', 'Update a task', 1],
    ['change the task', 'Update a task', 1],
    ['retrieve task', 'Get a task', 2],
    ['fetch tasks', 'Get tasks', 2],
    ['list bookings', 'Get existing bookings', 1],
    ['remove task', 'Delete a task', 1],
    ['attach file', 'Upload an attachment', 2],
    ['upload file', 'Upload an attachment', 2],
    ['please upload my file to a task', 'Upload an attachment', 3],
    ['book a ticket', 'Pay for a booking', 1],
    ['book a ticket', 'Create a booking', 3],
  ] as const;
  for (const [query, expected, within] of cases) {
    const rows = await find(query);
    const found = rows.filter(({ kind }) => kind === 'operation').map(({ title }) => title);
    assert.ok(found.slice(0, within).includes(expected), `${query}: ${found}`);
  }
});

test('the typed verb comes before those that mean the same', async () => {
  const find = await searcherOf({
    document: {
      ...TASKS,
      paths: {
        '/a': { post: operation('Create a member') },
        '/b': { post: operation('Add a member') },
        '/c': { post: operation('Make a member') },
      },
    },
  });
  for (const verb of ['Create', 'Add', 'Make']) {
    for (const query of [`${verb} a member`, `${verb.toLowerCase()} member`]) {
      const titles = (await find(query)).map(({ title }) => title);
      assert.equal(titles[0], `${verb} a member`, query);
      assert.equal(titles.filter((title) => title.endsWith('a member')).length, 3, query);
    }
  }
});

test('a verb is neither a typing error, nor as much as the typed one, nor what is asked for', async () => {
  const find = await searcherOf({
    document: {
      ...TASKS,
      paths: {
        '/a': { post: operation('Take a member of a team') },
        '/b': { post: operation('Create a member of a team') },
        '/c': { post: operation('Add a member of a team') },
        '/d': { delete: operation('Delete a team', { description: 'With its sparrow.' }) },
        '/e': { delete: operation('Delete a member') },
        '/f': { delete: operation('Delete a project') },
      },
    },
  });
  const titles = async (query: string) => (await find(query)).map(({ title }) => title);
  assert.equal((await titles('make member'))[0], 'Create a member of a team');
  assert.equal((await titles('add member'))[0], 'Add a member of a team');
  assert.equal((await titles('create member'))[0], 'Create a member of a team');
  assert.deepEqual(await titles('remove sparrow'), ['Delete a team']);
});

test('a title that means the same comes before one that has more than was asked for', async () => {
  const find = await searcherOf({
    document: {
      ...TASKS,
      paths: {
        ...TASKS.paths,
        '/portfolios/{id}/addItem': {
          post: operation('Add a portfolio item', { operationId: 'addItemForPortfolio' }),
        },
        '/portfolios': { post: operation('Create a portfolio') },
      },
    },
  });
  const titles = async (query: string) => (await find(query)).map(({ title }) => title);
  assert.equal((await titles('add portfolio'))[0], 'Create a portfolio');
  assert.equal((await titles('add portfolio item'))[0], 'Add a portfolio item');
});

test('what is marked in a row are the words that say something, and the verb that stands for the typed one', async () => {
  const files = searchFiles({ pages: [], references: [await referenceOf(TASKS)] }, () => {});
  const index = await openIndex(loaderOf(files).load);
  const { terms } = await search(index, 'how do I make the task', 20);
  assert.ok(terms.includes('create') && terms.includes('task'), terms.join(' '));
  for (const little of ['how', 'do', 'i', 'the']) assert.ok(!terms.includes(little), little);
});

test('a word that says little is looked for where nothing else is asked', async () => {
  const find = await searcherOf({ texts: ['# How to\n\nBegin here.', '# Other\n\nText.'] });
  assert.deepEqual(
    (await find('how to')).map(({ href }) => href),
    ['/0'],
  );
  assert.deepEqual(
    (await find('how')).map(({ href }) => href),
    ['/0'],
  );
});

test('a verb at the end is the word itself, unless the document has it nowhere', async () => {
  const find = await searcherOf({
    document: {
      ...TASKS,
      paths: {
        '/a': { post: operation('Get a task') },
        '/b': { post: operation('Sort a task list') },
        '/c': { post: operation('Delete a section') },
      },
    },
  });
  const titles = async (query: string) => (await find(query)).map(({ title }) => title);
  assert.equal((await titles('task list'))[0], 'Sort a task list');
  assert.deepEqual(await titles('list'), ['Sort a task list']);
  assert.equal((await titles('section remove'))[0], 'Delete a section');
  assert.equal((await titles('remove'))[0], 'Delete a section');
});
