/** An attribute of a resource (RFC 7643, section 7). */
export interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'reference' | 'dateTime' | 'complex';
  readonly description: string;
  readonly multiValued?: true;
  readonly required?: true;
  readonly caseExact?: true;
  readonly mutability?: 'readOnly' | 'immutable';
  readonly returned?: 'always';
  readonly uniqueness?: 'server';
  readonly sub?: readonly Attribute[];
}

/** A schema: of a kind of resource, or of what is said beyond it. */
export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** A kind of resource, with the one extension that it may have. */
export interface ResourceType {
  readonly name: 'User' | 'Group';
  readonly endpoint: '/Users' | '/Groups';
  readonly schema: Schema;
  readonly extension: Schema | undefined;
}

const text = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  description,
  ...more,
});

const flag = (name: string, description: string): Attribute => ({
  name,
  type: 'boolean',
  description,
});

/** An attribute with several values, each of a type. */
const values = (name: string, description: string, more: readonly Attribute[] = []): Attribute => ({
  ...{ name, type: 'complex', description, multiValued: true },
  sub: [
    text('value', 'The value.'),
    text('display', 'The value for people.'),
    text('type', 'What it is for, such as `work`.'),
    flag('primary', 'Whether it is the preferred one.'),
    ...more,
  ],
});

export const USER_URN = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE_URN = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const GROUP_URN = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** What every resource has, beside its schema. */
const COMMON: readonly Attribute[] = [
  text('id', 'The id here.', { mutability: 'readOnly', returned: 'always', caseExact: true }),
  text('externalId', 'The id in the directory.', { caseExact: true }),
  {
    ...{ name: 'meta', type: 'complex', description: 'What is known of the resource itself.' },
    mutability: 'readOnly',
    sub: [
      text('resourceType', 'Its kind.', { caseExact: true }),
      { name: 'created', type: 'dateTime', description: 'When it was made.' },
      { name: 'lastModified', type: 'dateTime', description: 'When it was changed last.' },
      text('location', 'Its address.', { caseExact: true }),
      text('version', 'Its entity tag.', { caseExact: true }),
    ],
  },
];

const USER_SCHEMA: Schema = {
  id: USER_URN,
  name: 'User',
  description: 'An account.',
  attributes: [
    text('userName', 'The name in the directory, in any case; commonly the e-mail address.', {
      required: true,
      uniqueness: 'server',
    }),
    {
      ...{ name: 'name', type: 'complex', description: 'The parts of the name.' },
      sub: [
        text('formatted', 'The whole name.'),
        text('familyName', 'The family name.'),
        text('givenName', 'The given name.'),
        text('middleName', 'The middle name.'),
        text('honorificPrefix', 'What comes before the name.'),
        text('honorificSuffix', 'What comes after the name.'),
      ],
    },
    text('displayName', 'The name that is shown.'),
    text('nickName', 'A casual name.'),
    text('profileUrl', 'The address of a profile.'),
    text('title', 'The position.'),
    text('userType', 'The relation to the company.'),
    text('preferredLanguage', 'The preferred language.'),
    text('locale', 'The locale.'),
    text('timezone', 'The time zone.'),
    flag('active', 'Whether the account can be used. One that is not active is disabled.'),
    values('emails', 'E-mail addresses. The primary one is the address of the account.'),
    values('phoneNumbers', 'Telephone numbers.'),
    values('addresses', 'Postal addresses.', [
      text('formatted', 'The whole address.'),
      text('streetAddress', 'Street and number.'),
      text('locality', 'The city.'),
      text('region', 'The region.'),
      text('postalCode', 'The postal code.'),
      text('country', 'The country.'),
    ]),
    values('roles', 'Roles in the directory; they give no rights here.'),
    values('entitlements', 'What the directory entitles to; it gives no rights here.'),
    {
      ...{ name: 'groups', type: 'complex', description: 'The groups that the user is in.' },
      ...{ multiValued: true, mutability: 'readOnly' },
      sub: [
        text('value', "The group's id.", { caseExact: true }),
        text('display', "The group's name."),
        { name: '$ref', type: 'reference', description: "The group's address." },
        text('type', 'How; always `direct`.'),
      ],
    },
  ],
};

const ENTERPRISE_SCHEMA: Schema = {
  id: ENTERPRISE_URN,
  name: 'EnterpriseUser',
  description: 'What a company says of a user.',
  attributes: [
    text('employeeNumber', 'The number of the employee.'),
    text('costCenter', 'The cost center.'),
    text('organization', 'The organization.'),
    text('division', 'The division.'),
    text('department', 'The department.'),
    {
      ...{ name: 'manager', type: 'complex', description: 'The manager.' },
      sub: [
        text('value', "The manager's id.", { caseExact: true }),
        { name: '$ref', type: 'reference', description: "The manager's address." },
        text('displayName', "The manager's name."),
      ],
    },
  ],
};

const GROUP_SCHEMA: Schema = {
  id: GROUP_URN,
  name: 'Group',
  description: 'A group of people, which projects give a role.',
  attributes: [
    text('displayName', 'The name, unique in any case.', { required: true, uniqueness: 'server' }),
    {
      ...{ name: 'members', type: 'complex', description: 'Who is in the group.' },
      multiValued: true,
      sub: [
        text('value', "The user's id.", { caseExact: true, mutability: 'immutable' }),
        text('display', "The user's name.", { mutability: 'readOnly' }),
        text('type', 'Always `User`.', { mutability: 'immutable' }),
        { name: '$ref', type: 'reference', description: "The user's address." },
      ],
    },
  ],
};

export const SCHEMAS: readonly Schema[] = [USER_SCHEMA, ENTERPRISE_SCHEMA, GROUP_SCHEMA];

export const USER: ResourceType = {
  ...{ name: 'User', endpoint: '/Users', schema: USER_SCHEMA, extension: ENTERPRISE_SCHEMA },
};
export const GROUP: ResourceType = {
  ...{ name: 'Group', endpoint: '/Groups', schema: GROUP_SCHEMA, extension: undefined },
};

/** The attributes of a kind of resource, without those of its extension. */
export function attributesOf({ schema }: ResourceType): readonly Attribute[] {
  return [...COMMON, ...schema.attributes];
}

/** The attribute with a name, in any case. */
export function findAttribute(
  attributes: readonly Attribute[],
  name: string,
): Attribute | undefined {
  const lower = name.toLowerCase();
  return attributes.find((attribute) => attribute.name.toLowerCase() === lower);
}
