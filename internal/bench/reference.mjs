// The plain reference: what one would write today in Node.js to price the
// blocks of a directory of recordings, with JSON.parse and BigInt and nothing
// else. It is the yardstick of the benchmarks and a second opinion on the fees.
//
//   node internal/bench/reference.mjs <recordings dir> <rounds> [seconds]
//   node internal/bench/reference.mjs <recordings dir> --check
//
// Everything is read into memory first and one second of passes warms it up.
// Each round then makes whole passes over all blocks for at least [seconds] (1
// by default) and prints one line of JSON:
//
//   {"blocks_per_second": 12345.6, "total_fee": "<wei of one pass>"}
//
// --check compares every fee with what the chain charged (sent.json) and exits
// 1 on a difference.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const WEIGHT_PER_GAS = 25_000n;
const MULTIPLIER_ONE = 10n ** 18n;
const ERC20_TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

// Base fee per gas of Moonbeam, by the runtime that executes the block: a fixed
// price, or floor(multiplier × constant / 10^18).
const MOONBEAM = [
  { below: 2300, price: 100_000_000_000n },
  { below: 3400, constant: 125_000_000_000n },
  { below: Infinity, constant: 31_250_000_000n },
];

function baseFeePerGas(runtime, multiplier) {
  const row = MOONBEAM.find((r) => runtime < r.below);
  return row.price ?? (multiplier * row.constant) / MULTIPLIER_ONE;
}

function gasPrice(type, payload, baseFee) {
  switch (type) {
    case 'legacy':
    case 'eip2930':
      return BigInt(payload.gasPrice);
    case 'eip1559': {
      const price = baseFee + BigInt(payload.maxPriorityFeePerGas);
      const cap = BigInt(payload.maxFeePerGas);
      return price < cap ? price : cap;
    }
    default:
      throw new Error(`unknown transaction type ${type}`);
  }
}

function findEvent(extrinsic, pallet, method) {
  const event = extrinsic.events.find((e) => e.method.pallet === pallet && e.method.method === method);
  if (!event) throw new Error(`extrinsic ${extrinsic.hash} has no ${pallet}.${method} event`);
  return event;
}

function weightOf(dispatch) {
  const { weight } = dispatch;
  return BigInt(typeof weight === 'object' ? weight.refTime : weight);
}

// The weight of ExtrinsicSuccess is in data[0], that of ExtrinsicFailed, whose
// data[0] is the error, in data[1].
function dispatchWeight(extrinsic) {
  return extrinsic.success
    ? weightOf(findEvent(extrinsic, 'system', 'ExtrinsicSuccess').data[0])
    : weightOf(findEvent(extrinsic, 'system', 'ExtrinsicFailed').data[1]);
}

// {"succeed": "Stopped"} is Stopped, {"error": {"outOfGas": null}} is outOfGas.
function exitReason(status) {
  const reason = Object.values(status)[0];
  return typeof reason === 'string' ? reason : Object.keys(reason)[0];
}

function addressOfTopic(topic) {
  return `0x${topic.slice(26)}`;
}

function tokenTransfers(extrinsic) {
  const transfers = [];
  for (const { method, data } of extrinsic.events) {
    if (method.pallet !== 'evm' || method.method !== 'Log') continue;
    const log = data[0];
    if (log.topics.length !== 3 || log.topics[0] !== ERC20_TRANSFER || log.data.length !== 66) continue;
    transfers.push({
      token: log.address,
      from: addressOfTopic(log.topics[1]),
      to: addressOfTopic(log.topics[2]),
      amount: BigInt(log.data),
    });
  }
  return transfers;
}

function evmTransaction(index, extrinsic, baseFee) {
  const [[type, payload]] = Object.entries(extrinsic.args.transaction);
  const [from, to, evmHash, status] = findEvent(extrinsic, 'ethereum', 'Executed').data;
  const weight = weightOf(findEvent(extrinsic, 'system', 'ExtrinsicSuccess').data[0]);
  const price = gasPrice(type, payload, baseFee);
  const gas = weight / WEIGHT_PER_GAS;
  return {
    index,
    layer: 'evm',
    type,
    call: 'ethereum.transact',
    hash: extrinsic.hash,
    evmHash,
    from,
    to,
    payer: from,
    nonce: BigInt(payload.nonce),
    gasPrice: price,
    gas,
    weight,
    fee: (price * weight) / WEIGHT_PER_GAS,
    priorityFee: price < baseFee ? null : gas * (price - baseFee),
    tip: null,
    success: extrinsic.success,
    status: exitReason(status),
    transfers: tokenTransfers(extrinsic),
  };
}

function nativeTransaction(index, extrinsic) {
  const { pallet, method } = extrinsic.method;
  const [payer, fee, tip] = findEvent(extrinsic, 'transactionPayment', 'TransactionFeePaid').data;
  return {
    index,
    layer: 'native',
    type: null,
    call: `${pallet}.${method}`,
    hash: extrinsic.hash,
    evmHash: null,
    from: extrinsic.signature.signer,
    to: null,
    payer,
    nonce: BigInt(extrinsic.nonce),
    gasPrice: null,
    gas: null,
    weight: dispatchWeight(extrinsic),
    fee: BigInt(fee),
    priorityFee: null,
    tip: BigInt(tip),
    success: extrinsic.success,
    status: null,
    transfers: tokenTransfers(extrinsic),
  };
}

function priceBlock(height, blockText, multiplierText, runtime) {
  const block = JSON.parse(blockText);
  const multiplier = JSON.parse(multiplierText);
  if (Number(block.number) !== height) {
    throw new Error(`asked for block ${height}, got block ${block.number}`);
  }
  if (Number(multiplier.at.height) !== height - 1) {
    throw new Error(`asked for the multiplier at ${height - 1}, got the one at ${multiplier.at.height}`);
  }

  const baseFee = baseFeePerGas(runtime, BigInt(multiplier.value));
  const transactions = [];
  const totals = { fee: 0n, evmFee: 0n, nativeFee: 0n, evm: 0, native: 0, inherents: 0 };
  let time = null;
  block.extrinsics.forEach((extrinsic, index) => {
    const { pallet, method } = extrinsic.method;
    if (pallet === 'ethereum' && method === 'transact') {
      const tx = evmTransaction(index, extrinsic, baseFee);
      totals.evm += 1;
      totals.evmFee += tx.fee;
      transactions.push(tx);
    } else if (extrinsic.signature !== null) {
      const tx = nativeTransaction(index, extrinsic);
      totals.native += 1;
      totals.nativeFee += tx.fee;
      transactions.push(tx);
    } else {
      totals.inherents += 1;
      if (pallet === 'timestamp' && method === 'set') time = new Date(Number(extrinsic.args.now));
    }
  });
  totals.fee = totals.evmFee + totals.nativeFee;

  return {
    number: height,
    hash: block.hash,
    parentHash: block.parentHash,
    time,
    runtime,
    multiplier: { at: height - 1, value: multiplier.value },
    baseFee,
    transactions,
    totals,
  };
}

function load(directory) {
  const read = (...path) => readFileSync(join(directory, ...path), 'utf8');
  const spec = JSON.parse(read('runtime-spec.json'));
  if (spec.specName !== 'moonbeam') throw new Error(`no base fee table for ${spec.specName}`);
  const runtime = Number(spec.specVersion);
  return readdirSync(join(directory, 'blocks'))
    .filter((name) => /^\d+\.json$/.test(name))
    .map((name) => parseInt(name, 10))
    .filter((height) => height >= 1)
    .sort((a, b) => a - b)
    .map((height) => ({
      height,
      runtime,
      block: read('blocks', `${height}.json`),
      multiplier: read('multiplier', `${height - 1}.json`),
    }));
}

function pass(inputs) {
  let fees = 0n;
  for (const { height, block, multiplier, runtime } of inputs) {
    fees += priceBlock(height, block, multiplier, runtime).totals.fee;
  }
  return fees;
}

// Whole passes for at least the given seconds.
function run(inputs, seconds) {
  const start = performance.now();
  let passes = 0;
  let fees;
  let elapsed;
  do {
    fees = pass(inputs);
    passes += 1;
    elapsed = (performance.now() - start) / 1000;
  } while (elapsed < seconds);
  return { blocksPerSecond: (passes * inputs.length) / elapsed, fees };
}

function check(directory, inputs) {
  const { sent } = JSON.parse(readFileSync(join(directory, 'sent.json'), 'utf8'));
  const fees = new Map();
  for (const { height, block, multiplier, runtime } of inputs) {
    for (const tx of priceBlock(height, block, multiplier, runtime).transactions) {
      fees.set(`${height}-${tx.index}`, tx.fee);
    }
  }
  let differences = 0;
  for (const { height, index, charged_wei: charged } of sent) {
    const id = `${height}-${index}`;
    if (fees.get(id) !== BigInt(charged)) {
      differences += 1;
      console.error(`${id}: have ${fees.get(id)}, charged ${charged}`);
    }
    fees.delete(id);
  }
  for (const [id, fee] of fees) {
    differences += 1;
    console.error(`${id}: have ${fee}, nothing was sent there`);
  }
  console.error(`${sent.length} transactions sent, ${differences} differences`);
  return differences === 0;
}

const [directory, rounds, seconds = '1'] = process.argv.slice(2);
if (rounds === '--check') {
  process.exitCode = check(directory, load(directory)) ? 0 : 1;
} else if (directory && Number(rounds) >= 1 && Number(seconds) > 0) {
  const inputs = load(directory);
  run(inputs, 1);
  for (let round = 0; round < Number(rounds); round += 1) {
    const { blocksPerSecond, fees } = run(inputs, Number(seconds));
    console.log(JSON.stringify({ blocks_per_second: blocksPerSecond, total_fee: String(fees) }));
  }
} else {
  console.error('usage: node internal/bench/reference.mjs <recordings dir> <rounds> [seconds] | --check');
  process.exitCode = 2;
}
