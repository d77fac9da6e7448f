import pad = require("./pad.js");

/** For callers that cannot import. */
function legacy(text: string): string {
  return pad.pad(text, BUILD.commit.length);
}

namespace legacy {
  export interface Options {
    readonly width: number;
  }
}

export = legacy;
