var scriptVar = 1;
‸
function scriptFunction(p: number) { let local = p; ‸return local }
interface ScriptShape { s: ‸number }
namespace ScriptSpace { export const inside = 1; ‸}
const scriptConst = ‸scriptVar;
