import { Type } from '@petstore/service/schema-builders.ts';
import { named, Ref } from '../schema-types.ts';
import { MAX_FIELD_LENGTH } from './fault-field.ts';
import { MAX_REQUEST, MAX_RULES } from './fault-rules.ts';

/** A rule as the document describes it. `readRule` is what reads one. */

const members = {
  fault: Type.String({
    minLength: 1,
    maxLength: MAX_FIELD_LENGTH,
    description: 'What happens, written as in the header `Petstore-Fault`.',
    examples: ['status=503;rate=0.5;seed=7'],
  }),
  operations: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      description: 'The ids of the operations that it is for; all where there are none.',
      examples: [['createPet']],
    }),
  ),
  from: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_REQUEST,
      default: 1,
      description: 'The first request that it is for, counted among those of its operations.',
    }),
  ),
  times: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_REQUEST,
      description: 'How many requests it is for, from then on; all where there is none.',
    }),
  ),
};

export const FaultRuleInput = named(
  'FaultRuleInput',
  Type.Object(members, { description: 'A fault that a sandbox is to have, and when.' }),
);

export const FaultRuleInputs = named(
  'FaultRuleInputs',
  Type.Array(Ref(FaultRuleInput), {
    maxItems: MAX_RULES,
    description: 'Rules in the order in which they are looked at.',
  }),
);

export const FaultRule = named(
  'FaultRule',
  Type.Object(
    {
      id: Type.String({ description: 'Unique identifier.', examples: ['fault_0123456789abcdef'] }),
      ...members,
      requests: Type.Integer({
        minimum: 0,
        description: 'How many requests of its operations there were.',
        examples: [3],
      }),
    },
    { description: 'A fault that a sandbox has, and when.' },
  ),
);

export const FaultRules = named(
  'FaultRules',
  Type.Array(Ref(FaultRule), {
    maxItems: MAX_RULES,
    description: 'The rules of a sandbox in the order in which they are looked at.',
  }),
);

/** In the order of the document. */
export const FAULT_SCHEMAS = [FaultRuleInput, FaultRuleInputs, FaultRule, FaultRules];
