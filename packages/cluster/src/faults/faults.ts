import { UserError } from '@petstore/service/user-error.ts';
import { DISK_FAULTS } from './disk.ts';
import type { Fault } from './fault.ts';
import { OPERATIONS } from './operations.ts';
import { POWER_FAULTS } from './power.ts';
import { SILENT_FAULTS } from './silence.ts';

export const FAULTS: readonly Fault[] = [
  ...POWER_FAULTS,
  ...SILENT_FAULTS,
  ...DISK_FAULTS,
  ...OPERATIONS,
];

/** The fault of an id. Throws a UserError that lists all ids where there is none. */
export function findFault(id: string): Fault {
  const fault = FAULTS.find((each) => each.id === id);
  if (!fault) {
    const ids = FAULTS.map((each) => each.id).join(', ');
    throw new UserError(`There is no fault ${id}; there are: ${ids}.`);
  }
  return fault;
}
