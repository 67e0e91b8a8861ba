import { cleanUp, FILE } from './clean-up.ts';

/** What tests of a file look at and none changes: made with the first that wants it, and gone with the file. */
export function onceForFile<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    if (made !== undefined) return made;
    // The next file of the process begins anew; forgotten when what it is made of has ended.
    cleanUp(FILE, () => {
      made = undefined;
    });
    made = make();
    return made;
  };
}
