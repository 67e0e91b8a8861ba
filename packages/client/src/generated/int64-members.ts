// Made by npm run client. Do not edit.

/** Members that are 64-bit integers, wherever they stand. */
export const INT64_MEMBERS: ReadonlySet<string> = new Set(["categoryId","id","petId"]);
