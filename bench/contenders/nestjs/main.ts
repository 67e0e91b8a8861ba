// NestJS on its Fastify adapter, as its documentation builds an application: a module, a controller,
// a service, a guard for the key, and the ValidationPipe with classes.
import 'reflect-metadata';
import { ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
  logger: ['error'],
});
app.useGlobalPipes(new ValidationPipe({ transform: true }));
await app.listen(Number(process.env.BENCH_PORT), '127.0.0.1');
