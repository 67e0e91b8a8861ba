// The library's container asks for metadata of classes (Reflect.metadata), and leaves the polyfill to its users. It is
// imported here alone, so that it is there before.
import 'reflect-metadata';

export * from '@peculiar/x509';
