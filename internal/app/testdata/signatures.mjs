// Writes signatures.json: what @polkadot/api 16.4.9 and ethers 6.17.0 sign for made-up transactions.
//   npm install @polkadot/api@16.4.9 @polkadot-api/merkleize-metadata@1.3.0 ethers@6.17.0 && node signatures.mjs moonbeam-2600.hex moonbase-3700.scale > signatures.json
// The first file is node/metadata.hex of testdata/pairs/moonbeam-2600, the second moonbase-3700-moonwall.scale of ../shared/metadata.tar.zst.
import { readFileSync } from "node:fs";
import { Keyring } from "@polkadot/keyring";
import { Metadata, TypeRegistry } from "@polkadot/types";
import { cryptoWaitReady, blake2AsHex } from "@polkadot/util-crypto";
import { merkleizeMetadata } from "@polkadot-api/merkleize-metadata";
import { Wallet } from "ethers";

await cryptoWaitReady();
const key = "0x5fb92d6e98884f76de468fa3f6278f8807c48bebc13595d45af5bdc4da702133"; // a development account
const pair = new Keyring({ type: "ethereum" }).addFromUri(key);
const baltathar = "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0";

const chains = [
  { file: process.argv[2], genesis: "0xfe58ea77779b7abda7da4ec526d14db9b1e9cd40a217c34892af80a9b332b76d", spec: 2600, tx: 2 },
  { file: process.argv[3], genesis: "0x91bc6e169807aaa54802737e1c504b2577d4fafedd5a02c10293b1cd60e39527", spec: 3700, tx: 3, symbol: "DEV" },
];
const header = (n) => { // parent, number, two roots, no digest
  const compact = n < 64 ? [n << 2] : n < 16384 ? [((n << 2) | 1) & 255, n >> 6] : [((n << 2) | 2) & 255, (n >> 6) & 255, (n >> 14) & 255, (n >> 22) & 255];
  return "0x" + Buffer.from([...Array(32).fill(7), ...compact, ...Array(64).fill(9), 0]).toString("hex");
};
const native = [];
for (const c of chains) {
  const raw = readFileSync(c.file);
  const hex = raw[0] === 0x30 ? raw.toString().trim() : "0x" + raw.toString("hex");
  const registry = new TypeRegistry();
  const metadata = new Metadata(registry, hex);
  registry.setMetadata(metadata);
  const mode = c.symbol ? 1 : 0;
  const metadataHash = mode ? "0x" + Buffer.from(merkleizeMetadata(hex, { decimals: 18, tokenSymbol: c.symbol }).digest()).toString("hex") : null;
  const lookup = (section, method) => metadata.asLatest.pallets.find((p) => p.name.toString() === section);
  const call = (section, method, args) => {
    const pallet = lookup(section);
    const variants = registry.lookup.getSiType(pallet.calls.unwrap().type).def.asVariant.variants;
    const v = variants.find((v) => v.name.toString() === method);
    const bytes = [pallet.index.toNumber(), v.index.toNumber()];
    v.fields.forEach((f, i) => bytes.push(...registry.createType(registry.createLookupType(f.type), args[i]).toU8a()));
    return Buffer.from(bytes);
  };
  const calls = [
    call("System", "remark", ["0x"]),
    call("System", "remark", ["0x" + "ab".repeat(300)]), // a payload of more than 256 bytes is hashed first
    call("Balances", "transfer_allow_death", [baltathar, "1500000000000000000"]),
    call("Balances", "transfer_keep_alive", [baltathar, "340282366920938463463374607431768211455"]),
    call("Balances", "transfer_all", [baltathar, false]),
    call("Utility", "batch", [[]]),
    call("System", "remark_with_event", ["0x00"]),
    call("Balances", "transfer_allow_death", [baltathar, 0]),
    call("System", "set_heap_pages", [64]),
    call("Balances", "transfer_allow_death", [baltathar, 1]),
  ];
  calls.forEach((data, i) => {
    const period = [64, 0, 4, 65536, 128, 0, 1024, 64, 4096, 8192][i], birth = period ? [64 * 1000 + 17, 0, 7, 65536 + 48, 500, 0, 1023, 5, 4095, 8190][i] : 0;
    const step = Math.max(period >> 12, 1), phase = period ? Math.floor((birth % period) / step) * step : 0;
    const birthHeader = period ? header(birth) : "0x", blockHash = period ? blake2AsHex(birthHeader) : c.genesis;
    const nonce = [0, 1, 63, 64, 16383, 16384, 2 ** 30, 7, 99, 4294967295][i], tip = ["0", "1", "63", "1000000000000000000", "0", "18446744073709551616", "0", "2", "3", "4"][i];
    const era = period ? registry.createType("ExtrinsicEra", { current: birth, period }) : registry.createType("ExtrinsicEra", "0x00");
    const fields = { method: "0x" + data.toString("hex"), era: era.toHex(), nonce, tip, genesisHash: c.genesis, blockHash, specVersion: c.spec, transactionVersion: c.tx, mode, metadataHash };
    const payload = registry.createType("ExtrinsicPayload", fields, { version: 4 });
    const { signature } = payload.sign(pair);
    const extrinsic = registry.createType("Extrinsic", { method: registry.createType("Call", data) }, { version: 4 });
    extrinsic.addSignature(pair.address, signature, payload.toHex());
    native.push({ call_data: fields.method, nonce: String(nonce), tip, era_period: period, era_phase: phase, birth_header: birthHeader, genesis: c.genesis, spec_version: c.spec, transaction_version: c.tx, signature, raw: extrinsic.toHex(), hash: extrinsic.hash.toHex() });
  });
}

const wallet = new Wallet(key), evm = [];
for (let i = 0; i < 20; i++) {
  const type = [0, 1, 2][i % 3], to = i % 5 === 4 ? null : baltathar;
  const input = "0x" + "c0".repeat([0, 4, 68, 300][i % 4]), value = String(15n * 10n ** BigInt(i)), gasLimit = 21000 + i, nonce = [0, 1, 127, 128, 255, 256, 65536][i % 7];
  const accessList = type === 0 || i % 2 ? [] : [{ address: baltathar, storageKeys: ["0x" + "0".repeat(63) + (i % 10)] }];
  const chainId = [1284, 1285, 1287][i % 3];
  const prices = type === 2 ? { maxFeePerGas: 250000000000n + BigInt(i), maxPriorityFeePerGas: BigInt(i) } : { gasPrice: 125000000000n + BigInt(i) };
  const raw = await wallet.signTransaction({ type, to, data: input, value, gasLimit, nonce, chainId, ...(type ? { accessList } : {}), ...prices });
  evm.push({
    type: ["legacy", "eip2930", "eip1559"][type], chain_id: chainId, nonce: String(nonce),
    gas_price: prices.gasPrice?.toString() ?? null, max_fee_per_gas: prices.maxFeePerGas?.toString() ?? null, max_priority_fee_per_gas: prices.maxPriorityFeePerGas?.toString() ?? null,
    gas_limit: gasLimit, to, value, input, access_list: accessList, raw,
  });
}
console.log(JSON.stringify({ native, evm }, null, 1));
