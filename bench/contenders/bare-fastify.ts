// What the framework costs: Fastify with constants, no key, no checks, no store.
import Fastify from 'fastify';
import { constants } from './constants.ts';
import { settings } from './settings.ts';

const { page, pet } = constants(settings.data);
const JSON_TYPE = 'application/json; charset=utf-8';

const app = Fastify();
app.get('/v1/pets', (_request, reply) => reply.type(JSON_TYPE).send(page));
app.get('/v1/pets/:petId', (_request, reply) => reply.type(JSON_TYPE).send(pet));
app.post('/v1/pets', (_request, reply) => reply.code(201).type(JSON_TYPE).send(pet));
await app.listen({ port: settings.port, host: '127.0.0.1' });
