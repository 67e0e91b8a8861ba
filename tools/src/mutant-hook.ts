import { registerHooks } from 'node:module';
import { env } from 'node:process';
import { type Mutant, mutated } from './mutant.ts';

// Loaded before a file of tests, by `--import`: gives one module of the product with a mutant in it. What is on the
// disk stays as it is.

/** The variable that names the module by its URL, and the mutant, as JSON. */
const { url: target, mutant } = JSON.parse(env.MUTANT ?? '') as { url: string; mutant: Mutant };

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== target) return loaded;
    return { ...loaded, source: mutated(String(loaded.source), mutant) };
  },
});
