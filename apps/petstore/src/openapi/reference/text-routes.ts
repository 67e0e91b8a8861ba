import type { FastifyPluginCallback } from 'fastify';
import type { BaseUrls } from '../../addresses.ts';
import { documentDerivatives } from '../document.ts';
import { Asset } from './asset.ts';
import { llmsText } from './llms-text.ts';

interface TextDeps {
  readonly baseUrls: () => BaseUrls;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** Texts for programs that read for people. */
export const textRoutes: FastifyPluginCallback<TextDeps> = (app, deps, done) => {
  const llms = documentDerivatives(
    app,
    deps,
  )((today) => new Asset('text/markdown; charset=utf-8', llmsText(today)));
  app.get('/llms.txt', { schema: { hide: true } }, async (request, reply) =>
    (await llms()).send(request, reply, 'no-cache'),
  );
  done();
};
