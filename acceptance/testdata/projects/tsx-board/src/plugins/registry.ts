/** Plugins add themselves to it. */
export interface Registry {
  core: { version: number };
}

export type PluginName = keyof Registry;

export function plugin<N extends PluginName>(name: N, api: Registry[N]): readonly [N, Registry[N]] {
  return [name, api];
}
