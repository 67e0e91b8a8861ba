// What a page tells its scripts about its operation. It stands in every operation's page, so it is small: what is
// empty or a default is left out. Values are text, so that every digit of a 64-bit number is kept.

import type { SandboxOffer } from '../openapi/sandbox-offer.ts';

/** An operation, as code samples and the panel need it to make requests. */
export interface OperationData {
  /** In capitals: `GET`. */
  readonly method: string;
  /** `/pets/{petId}` */
  readonly path: string;
  readonly title: string;
  /** At least one. */
  readonly servers: readonly ServerData[];
  readonly parameters?: readonly ParameterData[];
  readonly body?: BodyData;
  /** The alternatives of which one is needed, each a list of schemes; an empty list is a request without any. */
  readonly security?: readonly (readonly NeededScheme[])[];
  /** Those that `security` names. */
  readonly schemes?: readonly SchemeData[];
  /** The media types of successful responses, for the header `Accept`. */
  readonly accept?: string;
}

/** A scheme's name, and the scopes that the operation needs of it. */
export type NeededScheme = readonly [name: string, scopes?: readonly string[]];

export interface ServerData {
  /** With `{variables}`. One without an origin (`/v1`) belongs to the site itself. */
  readonly url: string;
  /** What it is called (OpenAPI 3.2). */
  readonly name?: string;
  readonly description?: string;
  readonly variables?: readonly VariableData[];
}

export interface VariableData {
  readonly name: string;
  readonly default: string;
  readonly enum?: readonly string[];
  readonly description?: string;
}

export type ParameterLocation = 'path' | 'query' | 'querystring' | 'header' | 'cookie';

export type ParameterStyle =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  | 'cookie';

/** How a value becomes text of an address or a header. What is left out has OpenAPI's default. */
export interface Serialization {
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
}

export interface ParameterData extends Serialization {
  readonly name: string;
  readonly in: ParameterLocation;
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly allowEmptyValue?: boolean;
  /** The media type of a parameter with `content`, whose value is a text of that type. */
  readonly contentType?: string;
  readonly schema?: SchemaData;
  /** As `SchemaData.default`. */
  readonly example?: string;
  /** Plain text. */
  readonly description?: string;
}

export interface BodyData {
  readonly required?: boolean;
  readonly content: readonly MediaData[];
}

export interface MediaData {
  /** `application/json` */
  readonly type: string;
  /** The body's text; of a form (`multipart/…`, `application/x-www-form-urlencoded`) an object as JSON. */
  readonly example?: string;
  /** Where there are several: what they are called, and the texts of those after the first, which is `example`. */
  readonly examples?: readonly ExampleData[];
  /** For a form; without one there is the raw body alone. */
  readonly schema?: SchemaData;
  readonly encoding?: readonly EncodingData[];
}

/** One of several examples of a body. */
export interface ExampleData {
  readonly name: string;
  /** As `MediaData.example`; undefined for one that is too long, or stands at another place. */
  readonly text?: string;
}

/** How a property of a form is sent. */
export interface EncodingData extends Serialization {
  readonly name: string;
  readonly contentType?: string;
}

export type SchemaType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

/** A schema as far as a form needs it. One without `type` and `choices` takes any JSON. */
export interface SchemaData {
  readonly type?: SchemaType;
  readonly nullable?: boolean;
  readonly title?: string;
  readonly format?: string;
  /** The media type of a part or a file: `contentMediaType`. */
  readonly media?: string;
  /** The allowed values: of strings as they are, otherwise as JSON. */
  readonly enum?: readonly string[];
  /** Of a string as it is, otherwise as JSON. */
  readonly default?: string;
  /** The bounds of a number, of a string's length in characters, or of a list's items. */
  readonly min?: string;
  readonly max?: string;
  /** Of a number: `exclusiveMinimum` and `exclusiveMaximum`. */
  readonly above?: string;
  readonly below?: string;
  /** A regular expression that takes no long time for any text of at most 200 characters. */
  readonly pattern?: string;
  readonly properties?: readonly PropertyData[];
  /** Of members that `properties` does not name; undefined where there can be none. */
  readonly additional?: SchemaData;
  readonly items?: SchemaData;
  /** `oneOf` or `anyOf`. */
  readonly choices?: readonly SchemaData[];
}

export interface PropertyData {
  readonly name: string;
  readonly required?: boolean;
  readonly schema: SchemaData;
}

export interface SchemeData {
  readonly name: string;
  /** The address of the API that it is of, where the site has several: `payments`. */
  readonly api?: string;
  readonly type: 'apiKey' | 'http' | 'oauth2' | 'openIdConnect' | 'mutualTLS';
  /** Of an `apiKey`. */
  readonly in?: 'query' | 'header' | 'cookie';
  /** The name of an `apiKey`'s header, parameter or cookie. */
  readonly key?: string;
  /** Of `http`, in small letters: `basic`, `bearer`. */
  readonly scheme?: string;
  readonly bearerFormat?: string;
  /** Plain text. */
  readonly description?: string;
  readonly flows?: readonly FlowData[];
  /** Of `openIdConnect`. */
  readonly discovery?: string;
  /** Of `oauth2`: where its server describes itself (RFC 8414). */
  readonly metadata?: string;
  /** How a reader gets a credential for a sandbox: see `x-sandbox`. */
  readonly sandbox?: SandboxOffer;
  readonly deprecated?: boolean;
}

export type FlowType =
  | 'authorizationCode'
  | 'clientCredentials'
  | 'password'
  | 'implicit'
  | 'deviceAuthorization';

export interface FlowData {
  readonly type: FlowType;
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  readonly refreshUrl?: string;
  readonly deviceAuthorizationUrl?: string;
  readonly scopes?: readonly ScopeData[];
}

export type ScopeData = readonly [name: string, description?: string];

/** The id of the script element that holds the data. */
export const DATA_ID = 'layout-operation';
