import { SelectField } from '../ui/field.tsx';
import { RoleRights } from './role-rights.tsx';
import { ROLE_OPTIONS, type RoleName } from './roles.ts';

interface RoleFieldProps {
  readonly role: RoleName;
  readonly onChange: (role: RoleName) => void;
}

/** A role to choose, with what it may do. */
export function RoleField({ role, onChange }: RoleFieldProps) {
  return (
    <SelectField
      name="role"
      label="Role"
      options={ROLE_OPTIONS}
      value={role}
      onValueChange={(value) => onChange(value as RoleName)}
      hint={<RoleRights role={role} />}
    />
  );
}
