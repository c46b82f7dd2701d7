/** A binding that writes down what crosses it: each call into the core, and each callback out of it. */
import { vi } from 'vitest';

/** The names of what crossed since the last call of {@link crossed}, in order. */
const seen: string[] = [];

/** What crossed the binding since the last call of this. */
export function crossed(): string[] {
  return seen.splice(0);
}

type Callable = (...args: unknown[]) => unknown;

export async function countingBinding(): Promise<object> {
  const actual = await vi.importActual<Record<string, unknown>>('../../binding/binding.js');
  const counted = Object.entries(actual).map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'function' ? counting(name, value as Callable) : value,
  ]);
  return Object.fromEntries(counted);
}

/** The same function or class, whose calls are written down. */
function counting(name: string, value: Callable): unknown {
  return new Proxy(value, {
    apply: (target, self, args) => {
      seen.push(name);
      return Reflect.apply(target, self, args.map(uncounted)) as unknown;
    },
    construct: (target, args, made) => {
      seen.push(`new ${name}`);
      return countingObject(Reflect.construct(target, args, made) as object);
    },
  });
}

/** What the proxies stand for: the core takes its own objects alone. */
const counted = new WeakMap<object, object>();

function countingObject(object: object): object {
  const proxy = new Proxy(object, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        seen.push(operationOf(String(key), args));
        return Reflect.apply(value, target, args.map(countingCallback).map(uncounted)) as unknown;
      };
    },
  });
  counted.set(proxy, object);
  return proxy;
}

function uncounted(argument: unknown): unknown {
  if (Array.isArray(argument)) return argument.map(uncounted);
  return typeof argument === 'object' && argument !== null ? (counted.get(argument) ?? argument) : argument;
}

/** Operations of a gate come as texts: `{"name":…`. */
function operationOf(method: string, [text]: unknown[]): string {
  const isOperation = method === 'call' || method === 'callNow';
  return isOperation ? (/^\{"(\w+)"/.exec(String(text))?.[1] ?? method) : method;
}

function countingCallback(argument: unknown): unknown {
  if (typeof argument !== 'function') return argument;
  return (...args: unknown[]) => {
    seen.push('(woken)');
    return Reflect.apply(argument, undefined, args) as unknown;
  };
}
