/** What the person at the terminal can understand and mend; shown without a stack. */
export class BenchError extends Error {}

/** Throws BenchError that names the run where it fails. */
export async function ofRun<Result>(name: string, run: Promise<Result>): Promise<Result> {
  return await run.catch((error: Error) => {
    throw new BenchError(`The run is invalid: ${name}: ${error.message}.`);
  });
}
