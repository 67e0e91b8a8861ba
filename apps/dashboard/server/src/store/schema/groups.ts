import type { ColumnType } from 'kysely';
import type { Role } from './projects.ts';

/** Where a membership of a group comes from: by hand, from a directory, or from a provider's sign-in. */
export type MemberSource = 'local' | 'scim' | `oidc:${string}`;

/** A view's columns: they are read and never written. */
type ViewOf<Columns> = { [Name in keyof Columns]: ColumnType<Columns[Name], never, never> };

export interface GroupTables {
  /** People whom projects give a role together. */
  groups: {
    id: string;
    name: string;
    /** The name as it is compared (groups/group-name.ts); unique. */
    name_key: string;
    /** Who changes it: people by hand, or a directory by SCIM. */
    source: 'local' | 'scim';
    /** The directory's own id; null: it has none. */
    external_id: string | null;
    created_at: number;
    /** When its name or its members changed last. */
    updated_at: number;
  };

  /** A user is a member while any source says so. */
  group_members: { group_id: string; user_id: string; source: MemberSource; created_at: number };

  group_roles: { group_id: string; project_id: string; role: Role; created_at: number };

  /** A view: every way in which a user has a role in a project; `group_id` null: a membership of their own. */
  role_grants: ViewOf<{
    project_id: string;
    user_id: string;
    role: Role;
    created_at: number;
    group_id: string | null;
  }>;
}
