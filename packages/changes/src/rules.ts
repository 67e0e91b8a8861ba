/** How much a change matters to the programs that use an API. */
export type Verdict = 'breaking' | 'risky' | 'compatible' | 'documentation';

/** From the gravest on. */
export const VERDICTS: readonly Verdict[] = ['breaking', 'risky', 'compatible', 'documentation'];

/** Whether a schema is of what clients send or of what they get. */
export type Direction = 'request' | 'response';

/** What a change of a schema does to the values that it allows. */
export type Effect = 'narrows' | 'widens' | 'both' | 'none';

interface Rule {
  readonly verdict: Verdict;
  /** The end of a sentence that begins with what has changed; `{old}`, `{new}` and `{name}` are filled in. */
  readonly says: string;
}

type Said = readonly [verdict: Verdict, says: string];

interface SchemaRule {
  readonly effect: Effect;
  readonly request: Said;
  readonly response: Said;
}

/**
 * Changes of schemas. Their codes begin with the direction, `request-type-changed`: what the old schema allowed must
 * stay allowed in requests, and what the new one allows must have been allowed in responses.
 */
const SCHEMA_RULES = {
  'type-changed': {
    effect: 'both',
    request: ['breaking', 'changed its type from {old} to {new}'],
    response: ['breaking', 'changed its type from {old} to {new}'],
  },
  'type-narrowed': {
    effect: 'narrows',
    request: ['breaking', 'takes {new} only, where it took {old}'],
    response: ['compatible', 'is {new} only, where it was {old}'],
  },
  'type-widened': {
    effect: 'widens',
    request: ['compatible', 'takes {new}, where it took {old} only'],
    response: ['breaking', 'may be {new}, where it was {old} only'],
  },
  'null-allowed': {
    effect: 'widens',
    request: ['compatible', 'may be null'],
    response: ['breaking', 'may be null'],
  },
  'null-refused': {
    effect: 'narrows',
    request: ['breaking', 'may no longer be null'],
    response: ['compatible', 'is never null any more'],
  },
  'format-added': {
    effect: 'narrows',
    request: ['breaking', 'must have the format {new}'],
    response: ['compatible', 'has the format {new}'],
  },
  'format-changed': {
    effect: 'both',
    request: ['breaking', 'changed its format from {old} to {new}'],
    response: ['breaking', 'changed its format from {old} to {new}'],
  },
  'format-narrowed': {
    effect: 'narrows',
    request: ['breaking', 'changed its format from {old} to {new}, which has fewer values'],
    response: ['compatible', 'changed its format from {old} to {new}, which has fewer values'],
  },
  'format-widened': {
    effect: 'widens',
    request: ['compatible', 'changed its format from {old} to {new}, which has more values'],
    response: ['breaking', 'changed its format from {old} to {new}, which has more values'],
  },
  'format-removed': {
    effect: 'widens',
    request: ['compatible', 'may have another format than {old}'],
    response: ['risky', 'may have another format than {old}'],
  },
  'enum-value-added': {
    effect: 'widens',
    request: ['compatible', 'also takes the value {new}'],
    response: ['risky', 'may have the new value {new}'],
  },
  'enum-value-removed': {
    effect: 'narrows',
    request: ['breaking', 'no longer takes the value {old}'],
    response: ['compatible', 'no longer has the value {old}'],
  },
  'enum-added': {
    effect: 'narrows',
    request: ['breaking', 'takes listed values only: {new}'],
    response: ['compatible', 'has listed values only: {new}'],
  },
  'enum-removed': {
    effect: 'widens',
    request: ['compatible', 'takes other values than {old}'],
    response: ['risky', 'may have other values than {old}'],
  },
  'limit-tightened': {
    effect: 'narrows',
    request: ['breaking', 'has a tighter {name}: {new} instead of {old}'],
    response: ['compatible', 'has a tighter {name}: {new} instead of {old}'],
  },
  'limit-loosened': {
    effect: 'widens',
    request: ['compatible', 'has a looser {name}: {new} instead of {old}'],
    response: ['breaking', 'has a looser {name}: {new} instead of {old}'],
  },
  'limit-changed': {
    effect: 'both',
    request: ['breaking', 'has another {name}: {new} instead of {old}'],
    response: ['breaking', 'has another {name}: {new} instead of {old}'],
  },
  'pattern-added': {
    effect: 'narrows',
    request: ['breaking', 'must match the pattern {new}'],
    response: ['risky', 'matches the pattern {new}'],
  },
  'pattern-changed': {
    effect: 'both',
    request: ['risky', 'must match the pattern {new} instead of {old}'],
    response: ['risky', 'matches the pattern {new} instead of {old}'],
  },
  'pattern-removed': {
    effect: 'widens',
    request: ['compatible', 'need no longer match the pattern {old}'],
    response: ['risky', 'no longer matches the pattern {old}'],
  },
  'content-encoding-changed': {
    effect: 'both',
    request: ['breaking', 'changed its {name} from {old} to {new}'],
    response: ['breaking', 'changed its {name} from {old} to {new}'],
  },
  'property-added': {
    effect: 'none',
    request: ['compatible', 'was added'],
    response: ['compatible', 'was added'],
  },
  'required-property-added': {
    effect: 'narrows',
    request: ['breaking', 'was added, and is required'],
    response: ['compatible', 'was added, and is always there'],
  },
  'required-property-with-default-added': {
    effect: 'narrows',
    request: ['risky', 'was added, and is required although it has a default'],
    response: ['compatible', 'was added, and is always there'],
  },
  'property-allowed': {
    effect: 'widens',
    request: ['compatible', 'was added, where no other properties were allowed'],
    response: ['risky', 'was added, where no other properties were allowed'],
  },
  'property-removed': {
    // By the letter an object without it is as good; whoever reads or sends it loses it.
    effect: 'both',
    request: ['risky', 'was removed'],
    response: ['risky', 'was removed'],
  },
  'required-property-removed': {
    effect: 'widens',
    request: ['risky', 'was removed'],
    response: ['breaking', 'was removed, and was always there'],
  },
  'property-refused': {
    effect: 'narrows',
    request: ['breaking', 'was removed, and other properties are refused'],
    response: ['risky', 'was removed'],
  },
  'property-became-required': {
    effect: 'narrows',
    request: ['breaking', 'became required'],
    response: ['compatible', 'is always there now'],
  },
  'property-with-default-became-required': {
    effect: 'narrows',
    request: ['risky', 'became required although it has a default'],
    response: ['compatible', 'is always there now'],
  },
  'property-became-optional': {
    effect: 'widens',
    request: ['compatible', 'became optional'],
    response: ['breaking', 'may be missing'],
  },
  'additional-properties-refused': {
    effect: 'narrows',
    request: ['breaking', 'no longer takes properties that are not listed'],
    response: ['compatible', 'no longer has properties that are not listed'],
  },
  'additional-properties-allowed': {
    effect: 'widens',
    request: ['compatible', 'takes properties that are not listed'],
    response: ['risky', 'may have properties that are not listed'],
  },
  'variant-added': {
    effect: 'widens',
    request: ['compatible', 'may also be {new}'],
    response: ['breaking', 'may also be {new}'],
  },
  'variant-removed': {
    effect: 'narrows',
    request: ['breaking', 'may no longer be {old}'],
    response: ['compatible', 'is no longer {old}'],
  },
  'discriminator-changed': {
    effect: 'both',
    request: ['risky', 'changed its discriminator from {old} to {new}'],
    response: ['risky', 'changed its discriminator from {old} to {new}'],
  },
  'discriminator-value-changed': {
    effect: 'both',
    request: ['breaking', 'has another value of its discriminator: {new} instead of {old}'],
    response: ['breaking', 'has another value of its discriminator: {new} instead of {old}'],
  },
  'constraint-added': {
    effect: 'narrows',
    request: ['breaking', 'has a new condition: {name}'],
    response: ['compatible', 'has a new condition: {name}'],
  },
  'constraint-removed': {
    effect: 'widens',
    request: ['compatible', 'lost a condition: {name}'],
    response: ['breaking', 'lost a condition: {name}'],
  },
  'constraint-changed': {
    effect: 'both',
    request: ['risky', 'has another condition: {name}'],
    response: ['risky', 'has another condition: {name}'],
  },
  'xml-changed': {
    effect: 'both',
    request: ['risky', 'is written otherwise in XML'],
    response: ['risky', 'is written otherwise in XML'],
  },
  'default-added': {
    effect: 'none',
    request: ['compatible', 'has the default {new}'],
    response: ['compatible', 'has the default {new}'],
  },
  'default-changed': {
    effect: 'none',
    request: ['risky', 'changed its default from {old} to {new}'],
    response: ['risky', 'changed its default from {old} to {new}'],
  },
  'default-removed': {
    effect: 'none',
    request: ['risky', 'has no default any more; it was {old}'],
    response: ['risky', 'has no default any more; it was {old}'],
  },
} as const satisfies Record<string, SchemaRule>;

export type SchemaFact = keyof typeof SCHEMA_RULES;

/** Changes of everything but schemas. */
const OTHER_RULES = {
  'operation-added': ['compatible', 'was added'],
  'operation-removed': ['breaking', 'was removed'],
  'webhook-added': ['compatible', 'was added'],
  'webhook-removed': ['breaking', 'was removed'],
  'callback-added': ['compatible', 'was added'],
  'callback-removed': ['breaking', 'was removed'],
  'path-parameter-renamed': ['compatible', 'is called {new} instead of {old} in the path'],
  'operation-id-changed': ['risky', 'changed its operationId from {old} to {new}'],
  deprecated: ['compatible', 'became deprecated'],
  'deprecation-withdrawn': ['compatible', 'is no longer deprecated'],
  'sunset-announced': ['compatible', 'is to be removed on {new}'],
  'sunset-earlier': ['breaking', 'is to be removed on {new}, earlier than {old}'],
  'sunset-later': ['compatible', 'is to be removed on {new}, later than {old}'],
  'sunset-withdrawn': ['compatible', 'is no longer to be removed on {old}'],
  'sunset-too-soon': ['breaking', 'is to be removed on {new}: {name}'],
  'sunset-missing': ['risky', 'became deprecated without a day on which it is removed'],
  'stability-lowered': ['breaking', 'is {new}, where it was {old}'],
  'stability-raised': ['compatible', 'is {new}, where it was {old}'],
  'parameter-added': ['compatible', 'was added'],
  'required-parameter-added': ['breaking', 'was added, and is required'],
  'required-parameter-with-default-added': [
    'risky',
    'was added, and is required although it has a default',
  ],
  'parameter-removed': ['risky', 'was removed'],
  'parameter-became-required': ['breaking', 'became required'],
  'parameter-with-default-became-required': ['risky', 'became required although it has a default'],
  'parameter-became-optional': ['compatible', 'became optional'],
  'parameter-serialization-changed': ['breaking', 'is written otherwise: {new} instead of {old}'],
  'request-body-added': ['compatible', 'was added'],
  'required-request-body-added': ['breaking', 'was added, and is required'],
  'request-body-removed': ['breaking', 'was removed'],
  'request-body-became-required': ['breaking', 'became required'],
  'request-body-became-optional': ['compatible', 'became optional'],
  'request-media-type-added': ['compatible', 'also takes {new}'],
  'request-media-type-removed': ['breaking', 'no longer takes {old}'],
  'request-encoding-changed': ['breaking', 'is encoded otherwise: {new} instead of {old}'],
  'response-media-type-added': ['compatible', 'is also there as {new}'],
  'response-media-type-removed': ['breaking', 'is no longer there as {old}'],
  'response-encoding-changed': ['breaking', 'is encoded otherwise: {new} instead of {old}'],
  'success-response-added': ['risky', 'was added'],
  'success-response-removed': ['breaking', 'was removed'],
  'error-response-added': ['compatible', 'was added'],
  'error-response-removed': ['compatible', 'was removed'],
  'response-header-added': ['compatible', 'was added'],
  'response-header-removed': ['risky', 'was removed'],
  'required-response-header-removed': ['breaking', 'was removed, and was always there'],
  'response-header-became-required': ['compatible', 'is always there now'],
  'response-header-became-optional': ['breaking', 'may be missing'],
  'webhook-answer-added': ['compatible', 'may be given'],
  'webhook-answer-removed': ['breaking', 'may no longer be given'],
  'link-added': ['compatible', 'was added'],
  'link-removed': ['risky', 'was removed'],
  'link-changed': ['risky', 'leads elsewhere'],
  'security-added': ['breaking', 'needs credentials: {new}'],
  'security-removed': ['compatible', 'needs no credentials any more'],
  'security-alternative-added': ['compatible', 'also takes {new}'],
  'security-alternative-removed': ['breaking', 'no longer takes {old}'],
  'security-scope-added': ['breaking', 'needs the scope {new}'],
  'security-scope-removed': ['compatible', 'no longer needs the scope {old}'],
  'security-scheme-changed': ['risky', 'changed its {name} from {old} to {new}'],
  'server-added': ['compatible', 'was added'],
  'server-removed': ['breaking', 'was removed'],
  'server-variable-changed': ['risky', 'changed its variable {name} from {old} to {new}'],
  'version-changed': ['documentation', 'changed from {old} to {new}'],
  'info-changed': ['documentation', 'changed'],
  'tags-changed': ['documentation', 'has other tags: {new} instead of {old}'],
  'tag-description-changed': ['documentation', 'is described otherwise'],
  'title-changed': ['documentation', 'has another title or summary'],
  'description-changed': ['documentation', 'is described otherwise'],
  'example-changed': ['documentation', 'has other examples'],
  'external-docs-changed': ['documentation', 'links to other documentation'],
} as const satisfies Record<string, Said>;

export type OtherCode = keyof typeof OTHER_RULES;

/** What a change is called, for good: a code is never used for anything else. */
export type Code = `${Direction}-${SchemaFact}` | OtherCode;

const entry = (code: string, [verdict, says]: Said): [Code, Rule] => [
  code as Code,
  { verdict, says },
];

/** Every code with its verdict and its sentence, in the order of the documentation. */
export const RULES: ReadonlyMap<Code, Rule> = new Map([
  ...Object.entries(OTHER_RULES).map(([code, said]) => entry(code, said)),
  ...Object.entries(SCHEMA_RULES).flatMap(([fact, { request, response }]) => [
    entry(`request-${fact}`, request),
    entry(`response-${fact}`, response),
  ]),
]);

/** What a change of a schema does to the values that it allows. */
export const effectOf = (fact: SchemaFact): Effect => SCHEMA_RULES[fact].effect;

/** The rule of a code. */
export const ruleOf = (code: Code): Rule => RULES.get(code) as Rule;
