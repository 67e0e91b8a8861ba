// Express 5 with better-sqlite3 and Zod, as their documentations have them: a middleware for the key,
// prepared statements, `res.json`. NODE_ENV is production, as Express advises for speed.
import { timingSafeEqual } from 'node:crypto';
import Database from 'better-sqlite3';
import express from 'express';
import { petBody, petQuery } from './rules.ts';
import { DURABLE, type Pet, SCHEMA, SQL } from './schema.ts';
import { settings } from './settings.ts';

const db = new Database(settings.data);
db.exec(DURABLE);
db.exec(SCHEMA);
const list = db.prepare<[number], Pet>(SQL.list);
const listByStatus = db.prepare<[string, number], Pet>(SQL.listByStatus);
const get = db.prepare<[string], Pet>(SQL.get);
const create = db.prepare<[string, number, string]>(SQL.create);

const expected = Buffer.from(`Bearer ${settings.key}`);
const app = express();
app.disable('x-powered-by');

app.use((req, res, next) => {
  const given = Buffer.from(req.get('authorization') ?? '');
  if (given.length === expected.length && timingSafeEqual(given, expected)) return next();
  res.status(401).json({ error: 'unauthorized' });
});
app.use(express.json());

app.get('/v1/pets', (req, res) => {
  const query = petQuery.safeParse(req.query);
  if (!query.success) return res.status(400).json({ error: query.error.issues });
  const { limit, status } = query.data;
  return res.json(status === undefined ? list.all(limit) : listByStatus.all(status, limit));
});

app.get('/v1/pets/:petId', (req, res) => {
  const pet = get.get(req.params.petId);
  return pet ? res.json(pet) : res.status(404).json({ error: 'not found' });
});

app.post('/v1/pets', (req, res) => {
  const body = petBody.safeParse(req.body);
  if (!body.success) return res.status(400).json({ error: body.error.issues });
  const { name, categoryId, status } = body.data;
  const { lastInsertRowid } = create.run(name, categoryId, status);
  return res.status(201).json({ id: Number(lastInsertRowid), name, categoryId, status });
});

app.listen(settings.port, '127.0.0.1');
