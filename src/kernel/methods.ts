/** Methods of classes, whose types reflection does not know. */
export type Method = (this: unknown, ...args: unknown[]) => unknown;

type WithPrototype = { readonly prototype: object };

export const isMethod = (value: unknown): value is Method => typeof value === 'function';

export const prototypeOf = ({ prototype }: WithPrototype): object => prototype;

/** Returns a method of a class, which it may inherit; undefined if it has none of this name. */
export function methodOf({ prototype }: WithPrototype, name: string): Method | undefined {
  const value: unknown = Reflect.get(prototype, name);
  return isMethod(value) ? value : undefined;
}
