/** Whatever the parameters of a path are called, it is one path: `GET /pets/{}` for `GET /pets/{petId}`. */
export const templateOf = (operation: string): string => operation.replace(/\{[^{}]*\}/g, '{}');
