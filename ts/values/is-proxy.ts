/** Whether it is a proxy: what it shows to one reader it may hide from the next. */
export const isProxy = (value: unknown): boolean => process.getBuiltinModule('node:util/types').isProxy(value);
