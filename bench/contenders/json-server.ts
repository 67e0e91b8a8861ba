// json-server as a module, with access control and validation added as its README shows. It keeps
// everything in one JSON file that it writes anew, without fsync, at each change; it has no WAL.
import { timingSafeEqual } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
// @ts-expect-error: it has no types.
import jsonServer from 'json-server';
import { petBody } from './rules.ts';
import { settings } from './settings.ts';

const expected = Buffer.from(`Bearer ${settings.key}`);
const server = jsonServer.create();
server.use(jsonServer.defaults({ logger: false, noCors: true }));
server.use((req: Request, res: Response, next: NextFunction) => {
  const given = Buffer.from(req.get('authorization') ?? '');
  if (given.length === expected.length && timingSafeEqual(given, expected)) return next();
  res.sendStatus(401);
});
server.use(jsonServer.bodyParser);
server.use((req: Request, res: Response, next: NextFunction) => {
  if (req.method === 'POST') {
    const body = petBody.safeParse(req.body);
    if (!body.success) return res.status(400).json({ error: body.error.issues });
    req.body = body.data;
  }
  return next();
});
server.use('/v1', jsonServer.router(settings.data));
server.listen(settings.port, '127.0.0.1');
