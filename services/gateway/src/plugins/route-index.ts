interface Route {
  url: string;
  method: string | string[];
}

export type RouteIndex = ReturnType<typeof createRouteIndex>;

/** Records the methods of each path, so that other methods get 405. */
export function createRouteIndex() {
  const routes = new Map<string, { path: RegExp; methods: Set<string> }>();
  return {
    add({ url, method }: Route): void {
      const entry = routes.get(url) ?? { path: pathOf(url), methods: new Set<string>() };
      for (const name of [method].flat()) entry.methods.add(name);
      routes.set(url, entry);
    },
    /** Returns the methods in alphabetical order; none for an unknown path. */
    methodsOf(url: string): string[] {
      const path = url.split(/[?#]/, 1)[0] ?? '';
      const methods = new Set<string>();
      for (const entry of routes.values()) {
        if (entry.path.test(path)) for (const method of entry.methods) methods.add(method);
      }
      return [...methods].sort();
    },
  };
}

function pathOf(pattern: string): RegExp {
  const source = pattern
    .split('/')
    .map(segment => {
      if (segment.startsWith(':')) return '[^/]+';
      return segment === '*' ? '.*' : segment.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    })
    .join('/');
  return new RegExp(`^${source}$`);
}
