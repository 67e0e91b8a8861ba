import { Type } from '@petstore/service/schema-builders.ts';
import { OneOf } from '../../schema-types.ts';

// What browsers make of a passkey (PublicKeyCredential.toJSON()), as far as it is read.

const Base64Url = (maxLength: number) => Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]+$' });

const common = {
  id: Base64Url(1_400),
  rawId: Base64Url(1_400),
  type: OneOf(['public-key']),
  clientExtensionResults: Type.Object({}),
};

/** The options that a browser's `navigator.credentials` takes, as WebAuthn has them in JSON. */
export const PasskeyOptions = Type.Object(
  { options: Type.Record(Type.Unknown()) },
  { $id: 'PasskeyOptions' },
);

/** A passkey that was made. */
export const CreatedPasskey = Type.Object({
  ...common,
  response: Type.Object({
    clientDataJSON: Base64Url(8_000),
    attestationObject: Base64Url(40_000),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 10 })),
  }),
});

/** What a passkey signed. */
export const SignedByPasskey = Type.Object({
  ...common,
  response: Type.Object({
    clientDataJSON: Base64Url(8_000),
    authenticatorData: Base64Url(8_000),
    signature: Base64Url(8_000),
    userHandle: Type.Optional(Type.String({ maxLength: 100 })),
  }),
});
