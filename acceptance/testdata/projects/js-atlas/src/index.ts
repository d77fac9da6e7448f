export type { Point, Direction } from "./point.js";
export { directions, isPoint, point } from "./point.js";
export { distance, nearest } from "./distance.js";
export { Loop, Route } from "./route.js";
export * from "./bounds";
export * as geojson from "./geojson";
export { mercator, project, scaled, type Projection } from "./projection";
export { Cache, memo } from "./cache";
