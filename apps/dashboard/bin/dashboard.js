#!/usr/bin/env node
import { start } from '@petstore/service/start.js';

await start({
  name: 'dashboard',
  folder: new URL('../', import.meta.url),
  main: 'server/src/main.ts',
  services: ['serve', 'edge'],
});
