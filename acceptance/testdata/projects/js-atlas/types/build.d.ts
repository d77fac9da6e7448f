/** Put in by the build. */
declare const BUILD: { readonly commit: string; readonly time: number };

declare module "*.csv" {
  const rows: readonly (readonly string[])[];
  export = rows;
}
