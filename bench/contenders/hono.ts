// Hono on its adapter for Node, with its own bearer middleware, its Zod validator, and node:sqlite.
import { DatabaseSync } from 'node:sqlite';
import { serve } from '@hono/node-server';
import { zValidator } from '@hono/zod-validator';
import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { petBody, petQuery } from './rules.ts';
import { DURABLE, SCHEMA, SQL } from './schema.ts';
import { settings } from './settings.ts';

const db = new DatabaseSync(settings.data);
db.exec(DURABLE);
db.exec(SCHEMA);
const list = db.prepare(SQL.list);
const listByStatus = db.prepare(SQL.listByStatus);
const get = db.prepare(SQL.get);
const create = db.prepare(SQL.create);

const app = new Hono();
app.use('/v1/*', bearerAuth({ token: settings.key }));

app.get('/v1/pets', zValidator('query', petQuery), (c) => {
  const { limit, status } = c.req.valid('query');
  return c.json(status === undefined ? list.all(limit) : listByStatus.all(status, limit));
});

app.get('/v1/pets/:petId', (c) => {
  const pet = get.get(c.req.param('petId'));
  return pet ? c.json(pet) : c.json({ error: 'not found' }, 404);
});

app.post('/v1/pets', zValidator('json', petBody), (c) => {
  const { name, categoryId, status } = c.req.valid('json');
  const { lastInsertRowid } = create.run(name, categoryId, status);
  return c.json({ id: Number(lastInsertRowid), name, categoryId, status }, 201);
});

serve({ fetch: app.fetch, port: settings.port, hostname: '127.0.0.1' });
