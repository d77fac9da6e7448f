// Asks questions through @modelcontextprotocol/client (v2).
// usage: MODE=default|legacy|auto node sdk-v2.mjs QUESTIONS.json COMMAND [ARGS]
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [questions, command, ...args] = process.argv.slice(2);
const mode = process.env.MODE ?? "default";
const options = mode === "default" ? {} : { versionNegotiation: { mode } };
const client = new Client({ name: "acceptance-v2", version: "1" }, options);
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const { tools } = await client.listTools();
const answers = [];
for (const question of JSON.parse(readFileSync(questions, "utf8"))) {
  answers.push(await client.callTool(question));
}
const unknown = await client.callTool({ name: "no_such_tool", arguments: {} }).then(() => 0, (e) => e.code);
await client.ping();
const server = client.getServerVersion();
await client.close();
console.log(JSON.stringify({ server, tools, answers, unknown }));
