import { Worker } from 'node:worker_threads';
import { type BuildLog, type BuildProblem, problemOf } from '@petstore/site/build-log.ts';
import type { BuildInput, Manifest } from '../../deploys/artifact.ts';
import { offsetsOf, type PackIndex } from '../../deploys/build/artifact/pack.ts';
import { type DevSite, openDevSite } from './dev-site.ts';

/** What build-thread.ts is to build. */
export interface DevJob {
  readonly input: BuildInput;
  /** The output file, with the contents. */
  readonly pack: string;
  /** The build's name. */
  readonly build: string;
}

/** A message of the thread: a line of the log, or the result. */
export type FromDevThread =
  | { readonly line: Parameters<BuildLog>[0] }
  | { readonly hash: string; readonly manifest: Manifest; readonly packed: PackIndex }
  | { readonly problems: readonly BuildProblem[] };

type DevOutcome = { readonly site: DevSite } | { readonly problems: readonly BuildProblem[] };

/** Builds in a thread that stays, one job after the other. */
export class DevBuilder {
  #thread: Worker | undefined;
  readonly #memory: number;

  /** `memory`: in MB, what a build may take. */
  constructor(memory: number) {
    this.#memory = memory;
  }

  /** Rejects because of a defect. */
  async build(job: DevJob, log: BuildLog): Promise<DevOutcome> {
    this.#thread ??= startThread(this.#memory);
    const thread = this.#thread;
    const { promise, resolve, reject } = Promise.withResolvers<DevOutcome>();
    const onError = (error: NodeJS.ErrnoException) => {
      this.#thread = undefined;
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        resolve({ problems: [problemOf(tooLarge(this.#memory))] });
      else reject(error);
    };
    const onMessage = (message: FromDevThread) => {
      if ('line' in message) log(message.line);
      else if ('problems' in message) resolve(message);
      else {
        const { hash, manifest, packed } = message;
        const artifact = { hash, manifest, blobs: offsetsOf(packed) };
        resolve({ site: openDevSite(job.build, artifact, job.pack) });
      }
    };
    thread.on('message', onMessage).once('error', onError);
    thread.postMessage(job);
    try {
      return await promise;
    } finally {
      thread.off('message', onMessage).off('error', onError);
    }
  }
}

const startThread = (memory: number) =>
  new Worker(new URL('build-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: memory },
  });

const tooLarge = (memory: number) =>
  `The site takes more than ${memory} MB of memory to build, which is what a deploy may take. Publish fewer guides, or split a large OpenAPI document into several APIs.`;
