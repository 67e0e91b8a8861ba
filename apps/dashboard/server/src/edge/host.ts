/** A host name in the one spelling that the store and the edge compare: lower case, punycode, no port. */
export type CanonicalHost = string & { readonly __canonicalHost: never };
