#!/usr/bin/env node
import { start } from '@petstore/service/start.js';

await start({
  name: 'petstore',
  folder: new URL('../', import.meta.url),
  main: 'src/main.ts',
  services: ['serve'],
});
