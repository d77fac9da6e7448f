'use strict';

// The questions about a position: what can be written there, what is there,
// what is visible there. Each is a function of a language service's snapshot,
// env = { ts, service, program, sourceFile, checker, fileName, cancellation }, and
// of an offset into sourceFile.text.
//
// Of the compiler's internals some are used, because no public function does the
// same: findPrecedingToken, positionBelongsToNode and getTouchingPropertyName,
// with which completion finds the node it is in, its option includeSymbol, and
// SymbolDisplay, which renders a symbol that nothing in the text refers to. All of
// 5.0 to 6.0 have them.

// mostTyped bounds the names of a scope that are given with their types.
const mostTyped = 200;

// complete lists what fits at a position: the names that begin with the prefix,
// best first, cut at max, and then the types of these.
function complete(env, position, prefix, max) {
  const { ts, service, fileName } = env;
  const list = service.getCompletionsAtPosition(fileName, position, { ...completionPreferences, includeSymbol: true });
  const matching = (list ? list.entries : []).filter((e) => e.name.startsWith(prefix));
  matching.sort((a, b) => compare(a.sortText, b.sortText) || compare(a.name, b.name));
  const entries = matching.slice(0, max).map((e) => {
    const typeText = e.kind === ts.ScriptElementKind.keyword ? '' : detailsOf(env, position, e);
    const entry = { name: e.name, kind: kindOfEntry(e, typeText), typeText };
    if (/\bany\b/.test(typeText)) entry.unsafe = true;
    return entry;
  });
  return { entries, total: matching.length };
}

// completionPreferences leave out what would need an edit elsewhere (an import)
// and keep names that only fit with other punctuation, such as "?." for ".".
const completionPreferences = {
  includeCompletionsForModuleExports: false,
  includeCompletionsForImportStatements: false,
  includeCompletionsWithInsertText: true,
  includeAutomaticOptionalChainCompletions: true,
  includeCompletionsWithObjectLiteralMethodSnippets: false,
  includeCompletionsWithClassMemberSnippets: false,
  includeCompletionsWithSnippetText: false,
  jsxAttributeCompletionStyle: 'none',
};

// detailsOf is the signature of an entry. The compiler's own way to it makes the
// whole list again for each, to find the symbol that the entry already has.
function detailsOf(env, position, entry) {
  if (entry.symbol) {
    const place = env.ts.getTouchingPropertyName(env.sourceFile, position);
    return display(env, rendered(env, entry.symbol, place, place, anyMeaning), position);
  }
  const details = env.service.getCompletionEntryDetails(
    env.fileName, position, entry.name, {}, entry.source, completionPreferences, entry.data);
  return details ? display(env, details.displayParts, position) : '';
}

// Of ts.SemanticMeaning.
const valueMeaning = 1;
const anyMeaning = 7;

// rendered is the signature of a symbol as it is seen at a node, in a scope.
function rendered({ ts, checker, sourceFile, cancellation }, symbol, scope, node, meaning) {
  return checker.runWithCancellationToken(cancellation, (c) =>
    ts.SymbolDisplay.getSymbolDisplayPartsDocumentationAndSymbolKind(c, symbol, sourceFile, scope, node, meaning).displayParts);
}

// kindOfEntry is what the signature says, but for a value that is a type as
// well (interface Array, var Array): the signature begins with the type.
function kindOfEntry(entry, typeText) {
  const kind = kindOf(typeText);
  const merged = (kind === 'interface' || kind === 'type') && entry.kind !== kind && entry.kind !== 'alias';
  return kind && !merged ? kind : wordFor(entry.kind);
}

// typeAt describes what is at a position; both texts are empty where nothing
// has a type. A position right behind a name means the name.
function typeAt(env, position) {
  const info = quickInfo(env, position) || (endsName(env, position) ? quickInfo(env, position - 1) : undefined);
  if (!info) return { display: '', documentation: '' };
  return {
    display: display(env, info.displayParts, position),
    documentation: documentation(env.ts, info.documentation, info.tags),
  };
}

function quickInfo(env, position) {
  const info = env.service.getQuickInfoAtPosition(env.fileName, position);
  const span = info && info.textSpan;
  // The compiler also answers about the name that a position is right behind,
  // but with whichever of two tokens that touch it likes better.
  return info && span.start <= position && position <= span.start + span.length ? info : undefined;
}

function endsName({ ts, sourceFile }, position) {
  const isPart = (i) => i >= 0 && i < sourceFile.text.length &&
    ts.isIdentifierPart(sourceFile.text.charCodeAt(i), ts.ScriptTarget.Latest);
  return isPart(position - 1) && !isPart(position);
}

// scope lists the names that are visible at a position. The file's own come
// with their types; those of the global scope are listed only on request, by
// name. A name is the file's own when any of its declarations is in the file:
// so is one of a script without imports and one in "declare global".
function scope(env, position, globals) {
  const { ts, checker, sourceFile } = env;
  const node = enclosing(env, position);
  const meaning = ts.SymbolFlags.Value | ts.SymbolFlags.Type | ts.SymbolFlags.Namespace | ts.SymbolFlags.Alias;
  const own = new Map();
  const names = new Set();
  for (const symbol of checker.getSymbolsInScope(node, meaning)) {
    const name = ts.unescapeLeadingUnderscores(symbol.escapedName);
    if (name === 'default' || !isIdentifier(ts, name)) continue; // what is exported under no name
    if (isOwn(checker, symbol, sourceFile)) {
      if (!own.has(name)) own.set(name, symbol);
    } else {
      names.add(name);
    }
  }
  const sorted = [...own.keys()].sort(compare);
  return {
    symbols: sorted.map((name, i) => {
      const symbol = own.get(name);
      const typeText = i < mostTyped ? signature(env, symbol, node) : '';
      return { name, kind: kindOf(typeText) || kindOfSymbol(ts, symbol), typeText };
    }),
    globals: globals ? [...names].filter((name) => !own.has(name)).sort(compare) : [],
  };
}

function isOwn(checker, symbol, sourceFile) {
  if (checker.isArgumentsSymbol(symbol)) return true;
  return !!symbol.declarations && symbol.declarations.some((d) => d.getSourceFile() === sourceFile);
}

// enclosing is the innermost node that a position is in, where names are looked
// up from: that of the token before the position, or what it ends.
function enclosing({ ts, sourceFile }, position) {
  let node = ts.findPrecedingToken(position, sourceFile) || sourceFile;
  while (node.parent && !ts.positionBelongsToNode(node, position, sourceFile)) node = node.parent;
  for (let n = node; n; n = n.parent) {
    // A decorator does not see what it decorates.
    if (ts.isDecorator(n)) node = ts.isParameter(n.parent) ? n.parent.parent.parent : n.parent.parent;
  }
  return node;
}

// signature is what the compiler says of a symbol where it is declared: of one
// that is a value and a type, the value. Of one that is exported, the checker
// types the export alone.
function signature(env, symbol, node) {
  const { ts, checker, sourceFile } = env;
  const shown = checker.getExportSymbolOfSymbol(symbol);
  const meant = shown.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(shown) : shown;
  if (checker.isUnknownSymbol(meant)) return ''; // of a module that is not found
  if (meant !== shown && meant.flags & ts.SymbolFlags.ValueModule && isSourceFile(ts, meant)) return moduleSignature(env, shown);
  const declaration = symbol.declarations && symbol.declarations.find((d) => d.getSourceFile() === sourceFile);
  const place = declaration && ts.getNameOfDeclaration(declaration) || node;
  const meaning = meant.flags & ts.SymbolFlags.Value ? valueMeaning : anyMeaning;
  return display(env, rendered(env, shown, node, place, meaning), node.end);
}

function isSourceFile(ts, symbol) {
  return !!symbol.valueDeclaration && ts.isSourceFile(symbol.valueDeclaration);
}

// display is a signature without the statement that a name was imported by,
// when that says no more than the name. Where it is all there is, the name
// stands for a module, or for nothing that was found.
function display(env, parts, position) {
  const text = env.ts.displayPartsToString(parts).trim();
  const alone = /^(?:import|export) ([\w$]+)$/.exec(text);
  if (!alone) return text.replace(/\n(?:import|export) [\w$]+$/, '');
  const symbol = env.checker.getSymbolsInScope(enclosing(env, position), env.ts.SymbolFlags.Alias)
    .find((s) => s.escapedName === env.ts.escapeLeadingUnderscores(alone[1]));
  return symbol ? moduleSignature(env, symbol) : '';
}

// moduleSignature is that of a name that stands for a whole module, which the
// compiler has no words for.
function moduleSignature({ ts, checker }, alias) {
  const target = checker.getAliasedSymbol(alias);
  if (checker.isUnknownSymbol(target) || !(target.flags & ts.SymbolFlags.ValueModule)) return '';
  let node = alias.declarations && alias.declarations[0];
  while (node && !node.moduleSpecifier && !node.moduleReference) node = node.parent;
  const from = node && (node.moduleSpecifier || node.moduleReference.expression);
  return from ? `(alias) module ${from.getText()}` : '(alias) module';
}

// documentation renders a comment and its tags in Markdown, in the form that
// TypeScript 7 gives them.
function documentation(ts, comment, tags) {
  const blocks = [markdown(ts, comment || [])];
  for (const tag of tags || []) blocks.push(tagText(ts, tag));
  return blocks.map((b) => b.trim()).filter(Boolean).join('\n\n');
}

function tagText(ts, tag) {
  const head = `*@${tag.name}*`;
  const parts = tag.text || [];
  const text = markdown(ts, parts).trim();
  if (!text) return head;
  const named = parts.find((p) => p.kind === 'parameterName' || p.kind === 'typeParameterName');
  if (named) { // of @param and @template
    const rest = text.slice(text.indexOf(named.text) + named.text.length).trim();
    const dash = rest && !rest.startsWith('-') ? '— ' : '';
    return `${head} \`${named.text}\` ${dash}${rest}`;
  }
  if (tag.name === 'example') {
    const caption = /^<caption>(.*?)<\/caption>\s*/.exec(text);
    const code = caption ? text.slice(caption[0].length) : text;
    const fenced = code.includes('```') ? code : '```tsx\n' + code + '\n```';
    return `${head}${caption ? ` — ${caption[1]}` : ''}\n${fenced}`;
  }
  if (tag.name === 'see') return `${head} — ${text.replace(/\s*\*$/, '')}`; // of the next line's margin
  return `${head} — ${text}`;
}

// markdown is a text with its {@link} tags replaced by what they show.
function markdown(ts, parts) {
  let out = '';
  let link; // the parts of the tag being read
  for (const part of parts) {
    if (part.kind === 'link' && !link) {
      link = { code: part.text.startsWith('{@linkcode'), name: '', text: '' };
    } else if (part.kind === 'link') {
      out += linkMarkdown(link);
      link = undefined;
    } else if (link && part.kind === 'linkName') {
      link.name += part.text;
    } else if (link) {
      link.text += part.text;
    } else {
      out += part.text;
    }
  }
  return out;
}

function linkMarkdown({ code, name, text }) {
  const shown = text.replace(/^[\s|]+/, '').trim() || name;
  const url = /^(https?:\/\/\S+?)(?:[\s|]+(.*))?$/s.exec(name ? `${name}${text}` : shown);
  if (url) return `[${url[2] || url[1]}](${url[1]})`;
  return code ? `\`${shown}\`` : shown;
}

// kinds are the words for what a signature begins with.
const kinds = {
  'function': 'function', 'local function': 'function',
  'const': 'variable', 'let': 'variable', 'var': 'variable', 'using': 'variable', 'await using': 'variable', 'local var': 'variable',
  'class': 'class', 'local class': 'class', 'abstract': 'class', 'constructor': 'class',
  'interface': 'interface', 'type': 'type', 'enum': 'enum', 'module': 'module', 'namespace': 'module',
  'enum member': 'enum-member', 'type parameter': 'type-parameter', 'parameter': 'parameter',
  'property': 'property', 'accessor': 'property', 'getter': 'property', 'setter': 'property', 'index': 'property',
  'method': 'method',
};

// kindOf reads the kind off a signature such as "(method) A.f(): void" or
// "const x: 1"; empty when it does not say.
function kindOf(text) {
  let m;
  while ((m = /^\(([^)]*)\)\s*/.exec(text))) {
    if (kinds[m[1]]) return kinds[m[1]];
    if (m[1] !== 'alias') return '';
    text = text.slice(m[0].length);
  }
  return kinds[text.split(' ', 1)[0]] || '';
}

// words are those for the kinds of completions whose signature says none.
const words = {
  'keyword': 'keyword', 'primitive type': 'keyword', 'string': 'constant', 'warning': 'text', 'label': 'property',
  'script': 'file', 'directory': 'folder', 'external module name': 'module', 'module': 'module',
  'const': 'variable', 'let': 'variable', 'var': 'variable', 'local var': 'variable', 'using': 'variable', 'await using': 'variable',
  'alias': 'variable', 'parameter': 'variable', 'function': 'function', 'local function': 'function',
  'class': 'class', 'local class': 'class', 'interface': 'interface', 'type': 'type', 'enum': 'enum', 'enum member': 'enum-member',
  'type parameter': 'type-parameter', 'method': 'method', 'construct': 'method', 'call': 'method', 'index': 'method',
};

function wordFor(kind) {
  return words[kind] || 'property';
}

// kindOfSymbol is the kind of a symbol whose signature is not asked for.
function kindOfSymbol(ts, symbol) {
  const F = ts.SymbolFlags;
  const f = symbol.flags;
  if (f & F.Alias) return 'variable'; // of what, is not known without its signature
  if (f & F.Function) return 'function';
  if (f & F.Class) return 'class';
  if (f & F.Enum) return 'enum';
  if (f & F.EnumMember) return 'enum-member';
  if (f & F.Variable) return 'variable';
  if (f & F.Interface) return 'interface';
  if (f & F.TypeAlias) return 'type';
  if (f & F.TypeParameter) return 'type-parameter';
  if (f & F.Module) return 'module';
  return 'variable';
}

function isIdentifier(ts, name) {
  return ts.isIdentifierStart(name.codePointAt(0), ts.ScriptTarget.Latest) &&
    [...name].every((c) => ts.isIdentifierPart(c.codePointAt(0), ts.ScriptTarget.Latest));
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

module.exports = { complete, typeAt, scope };
