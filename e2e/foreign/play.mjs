// Plays every round of a rounds file against the fake provider with the makers'
// own SDKs and prints one JSON line for each round and wire. What the SDKs make
// of an answer is what ours must make of it.
//
//   node play.mjs http://127.0.0.1:PORT rounds.json

import { readFileSync } from 'node:fs';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

const [base, roundsFile] = process.argv.slice(2);
const { rounds } = JSON.parse(readFileSync(roundsFile, 'utf8'));
const names = rounds.map((round) => round.when.lastUser.match(/[\w-]+/)[0]);

const key = 'sk-foreign-0123456789';
const anthropic = new Anthropic({ apiKey: key, baseURL: base, maxRetries: 0 });
const openai = new OpenAI({ apiKey: key, baseURL: `${base}/v1`, maxRetries: 0 });

const schema = { type: 'object', properties: { slide: { type: 'integer' } } };
const tools = [
  { name: 'slide_read', description: 'Reads a slide.' },
  { name: 'deck_export', description: 'Exports the deck.' },
];
const system = 'You are a careful assistant. '.repeat(20);

// said is the user's message of a round; "big" carries enough to fill many packets.
const said = (name) => (name === 'big' ? 'big ' + ('w'.repeat(199) + ' ').repeat(1000).trim() : name);

// fresh is what no cache served or took, the meaning that our usage has.
function openaiUsage(total, out, details) {
  const read = details?.cached_tokens ?? 0;
  const creation = details?.cache_write_tokens ?? 0;
  return { in: total - read - creation, out, read, creation };
}

async function messages(text) {
  const m = await anthropic.messages
    .stream({
      model: 'm',
      max_tokens: 1000,
      tools: tools.map((t) => ({ ...t, input_schema: schema })),
      system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: text }],
    })
    .finalMessage();
  const of = (type) => m.content.filter((b) => b.type === type);
  const u = m.usage;
  return {
    text: of('text').map((b) => b.text).join(''),
    reasoning: of('thinking').map((b) => b.thinking).join(''),
    calls: of('tool_use').map((b) => ({ id: b.id, name: b.name, input: b.input })),
    stop: m.stop_reason,
    usage: {
      in: u.input_tokens,
      out: u.output_tokens,
      read: u.cache_read_input_tokens,
      creation: u.cache_creation_input_tokens,
    },
  };
}

async function chat(text) {
  let reasoning = '';
  const stream = openai.chat.completions.stream({
    model: 'm',
    stream_options: { include_usage: true },
    tools: tools.map((t) => ({ type: 'function', function: { ...t, parameters: schema } })),
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: text },
    ],
  });
  // Reasoning is no part of OpenAI's own wire: compatible endpoints add it.
  stream.on('chunk', (chunk) => (reasoning += chunk.choices[0]?.delta?.reasoning_content ?? ''));
  const c = await stream.finalChatCompletion();
  const { message, finish_reason: stop } = c.choices[0];
  return {
    text: message.content ?? '',
    reasoning,
    calls: (message.tool_calls ?? []).map((t) => ({ id: t.id, name: t.function.name, input: JSON.parse(t.function.arguments) })),
    stop,
    usage: openaiUsage(c.usage.prompt_tokens, c.usage.completion_tokens, c.usage.prompt_tokens_details),
  };
}

async function responses(text) {
  const r = await openai.responses
    .stream({
      model: 'm',
      store: false,
      instructions: system,
      include: ['reasoning.encrypted_content'],
      tools: tools.map((t) => ({ type: 'function', strict: false, ...t, parameters: schema })),
      input: [{ role: 'user', content: text }],
    })
    .finalResponse();
  const of = (type) => r.output.filter((item) => item.type === type);
  const u = r.usage;
  return {
    text: of('message').flatMap((m) => m.content).map((part) => part.text).join(''),
    reasoning: of('reasoning').flatMap((item) => item.summary).map((part) => part.text).join(''),
    calls: of('function_call').map((c) => ({ id: c.call_id, name: c.name, input: JSON.parse(c.arguments) })),
    stop: r.incomplete_details?.reason ?? r.status,
    usage: openaiUsage(u.input_tokens, u.output_tokens, u.input_tokens_details),
  };
}

async function play(name, wire, ask) {
  let line;
  try {
    line = await ask(said(name));
  } catch (error) {
    line = {
      error: {
        class: error.constructor.name,
        status: error.status ?? 0,
        type: error.type ?? error.error?.error?.type ?? '',
        code: error.code ?? error.error?.code ?? '',
        message: String(error.message),
      },
    };
  }
  process.stdout.write(JSON.stringify({ name, wire, ...line }) + '\n');
}

for (const name of names) {
  await play(name, 'messages', messages);
  await play(name, 'chat', chat);
  await play(name, 'responses', responses);
}
