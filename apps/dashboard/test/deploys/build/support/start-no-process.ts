import { withoutDescriptors } from '@petstore/test-support/without-descriptors.ts';
import { runBuild } from '../../../../server/src/deploys/build/process/run-build.ts';

// Builds where the system starts no process: its program is not there, and no file descriptor is free. Then where it
// does. Prints the code of each call's error. The argument has the job, as JSON.

const job = JSON.parse(process.argv[2] ?? '');

async function attempt(): Promise<string> {
  const building = runBuild(job, () => {}, new AbortController().signal);
  return building.then(
    (outcome) => Object.keys(outcome).join(),
    ({ code, message }) => code ?? message,
  );
}

const { execPath } = process;
process.execPath = '/nowhere/node';
const outcomes = [await attempt()];
process.execPath = execPath;
outcomes.push(await withoutDescriptors(attempt));
outcomes.push(await attempt());
console.log(outcomes.join(' '));
