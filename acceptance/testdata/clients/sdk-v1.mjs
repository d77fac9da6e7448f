// Asks questions through the client of @modelcontextprotocol/sdk (v1).
// usage: node sdk-v1.mjs QUESTIONS.json COMMAND [ARGS]; prints a report as JSON.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [questions, command, ...args] = process.argv.slice(2);
const client = new Client({ name: "acceptance-v1", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const { tools } = await client.listTools();
const answers = [];
for (const question of JSON.parse(readFileSync(questions, "utf8"))) {
  answers.push(await client.callTool(question));
}
const unknown = await client.callTool({ name: "no_such_tool", arguments: {} }).then(() => 0, (e) => e.code);
await client.ping();
await client.close();
console.log(JSON.stringify({ server: client.getServerVersion(), tools, answers, unknown }));
