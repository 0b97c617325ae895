// Writes values as Substrate API Sidecar does, with its own code: the expected texts of
// TestValuesAreSidecars. Run it in a directory whose node_modules has @substrate/api-sidecar
// 18.0.0 with @polkadot/types 10.13.1:
//
//   NODE_PATH=node_modules node oracle.cjs METADATA.scale < values > texts
//
// A line of values is: value TYPE HEX, constant TYPE HEX (a value as it stands in metadata),
// call HEX, event HEX, or metadata PATH (all of another file).
const fs = require('fs');
const readline = require('readline');
const { TypeRegistry, Metadata, GenericCall } = require('@polkadot/types');
const { compactAddLength, hexToU8a, u8aToHex } = require('@polkadot/util');
const { sanitizeNumbers } = require('@substrate/api-sidecar/build/src/sanitize/sanitizeNumbers');
const { BlocksService } = require('@substrate/api-sidecar/build/src/services/blocks/BlocksService');

const open = (path) => {
  const registry = new TypeRegistry();
  const metadata = new Metadata(registry, u8aToHex(fs.readFileSync(path)));
  registry.setMetadata(metadata);
  return { registry, metadata };
};
const { registry } = open(process.argv[2]);
const service = Object.create(BlocksService.prototype);

const make = {
  value: (type, hex) => registry.createType(registry.createLookupType(Number(type)), hexToU8a(hex)),
  constant: (type, hex) => {
    const constant = registry.createType('PalletConstantMetadataV14', { type, value: compactAddLength(hexToU8a(hex)) });
    return sanitizeNumbers(constant, { metadataOpts: { registry, version: 14 } }).value;
  },
  metadata: (path) => {
    const { registry, metadata } = open(path);
    return sanitizeNumbers(metadata, { metadataOpts: { registry, version: metadata.version } });
  },
  call: (hex) => service.parseGenericCall(registry.createType('Call', hexToU8a(hex)), registry),
  event: (hex) => {
    const event = registry.createType('Event', hexToU8a(hex));
    return { method: { pallet: event.section, method: event.method }, data: event.data };
  },
};
(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [kind, ...rest] = line.split(' ');
    let text;
    try {
      text = JSON.stringify(sanitizeNumbers(make[kind](...rest)));
    } catch (error) {
      text = 'error ' + String(error.message).replace(/\n/g, ' ').slice(0, 200);
    }
    process.stdout.write(text + '\n');
  }
})();
